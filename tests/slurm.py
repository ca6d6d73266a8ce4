"""Two Slurms for tests: one that is played, and one of one node, from Debian's packages, on loopback.

Nothing of the machine's is used or changed: own key, ports and spool folders, no control groups, no
accounting, and any user may start it.  Every process carries the folder's name in its environment, also the
shepherds of jobs, which leave their parent: so `cluster` finds them all and sees to their end in any case.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.optional import needs

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "sinfo")
MARK = "WCNFGEN_TEST_SLURM"
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
MaxArraySize=8
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
MinJobAge=300
InactiveLimit=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True, slots=True)
class Cluster:
    """It, as its commands see it."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a command of Slurm needs."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), MARK: str(self.folder)}

    def call(self, *command: str) -> str:
        """Run one."""
        done = subprocess.run(
            command, env=os.environ | self.environment, capture_output=True, text=True, timeout=30
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    def jobs(self) -> dict[str, str]:
        """What is in the queue or runs: the state of each task."""
        lines = self.call("squeue", "--noheader", "--array", "--format=%i %T").splitlines()
        return dict(line.split() for line in lines)

    def wait(self, seconds: float) -> None:
        """Until the queue is empty."""
        end = time.monotonic() + seconds
        while left := self.jobs():
            assert time.monotonic() < end, f"{left}\n{self.said()}"
            time.sleep(0.2)

    def said(self) -> str:
        """What the daemons said last, for a test that fails."""
        return "\n".join(file.read_text()[-2000:] for file in sorted(self.folder.glob("*.log")))

    def processes(self) -> list[psutil.Process]:
        """Everything that was started under it and lives."""
        return [each for each in psutil.process_iter() if _belongs(each, str(self.folder))]


def _belongs(process: psutil.Process, mark: str) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False


@contextlib.contextmanager
def cluster() -> Iterator[Cluster]:
    """Start it, and see to its end; skips where there is no Slurm."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    found = {program: shutil.which(program, path=path) for program in PROGRAMS}
    missing = [program for program, where in found.items() if not where]
    needs(not missing, f"Slurm ({', '.join(missing)}; Debian's slurmctld, slurmd, slurm-client and munge)")
    if not Path("/sys/fs/cgroup").is_dir() or not Path("/sys/devices/system/cpu").is_dir():
        pytest.skip("slurmd needs /sys, which is not mounted here")
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # a socket's path must be short
    made = Cluster(folder)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        _prepare(folder)
        munged, slurmctld, slurmd = (str(found[name]) for name in PROGRAMS[:3])
        daemons.append(_start(made, "munged", munged, *_munge(folder / "munge")))
        _until(made, (folder / "munge" / "socket").exists)
        daemons.append(_start(made, "slurmctld", slurmctld, "-D", "-c"))
        daemons.append(_start(made, "slurmd", slurmd, "-D", "-c"))
        _until(made, lambda: "idle" in _state(made))
        yield made
    finally:
        _end(made)
        for daemon in daemons:
            daemon.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path) -> None:
    for name in ("state", "spool", "munge"):
        (folder / name).mkdir(mode=0o700)
    key = folder / "munge" / "key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    text = CONFIGURATION.format(
        host=socket.gethostname().split(".")[0],
        ports=_ports(2),
        user=psutil.Process().username(),
        folder=folder,
        cpus=os.cpu_count(),
        memory=psutil.virtual_memory().total // 2**20,
    )
    (folder / "slurm.conf").write_text(text)


def _munge(folder: Path) -> list[str]:
    files = {"socket": "socket", "key-file": "key", "pid-file": "pid", "seed-file": "seed", "log-file": "log"}
    return [
        "--foreground",
        "--force",
        "--num-threads=2",
        *(f"--{option}={folder}/{name}" for option, name in files.items()),
    ]


def _ports(number: int) -> list[int]:
    """Free ones, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def _start(made: Cluster, name: str, *command: str) -> subprocess.Popen[bytes]:
    with (made.folder / f"{name}.log").open("wb") as out:
        return subprocess.Popen(
            command,
            env=os.environ | made.environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


def _state(made: Cluster) -> str:
    done = subprocess.run(
        ["sinfo", "--noheader", "--format=%T"],
        env=os.environ | made.environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.stdout


def _until(made: Cluster, there: Callable[[], bool]) -> None:
    """Wait for it, at most 20 seconds."""
    end = time.monotonic() + 20
    while not there():
        if time.monotonic() > end:
            pytest.fail(f"Slurm does not start:\n{made.said()}")
        time.sleep(0.05)


def _end(made: Cluster) -> None:
    """Kill everything: new processes may come while the old ones go."""
    end = time.monotonic() + 10
    while (left := made.processes()) and time.monotonic() < end:
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)
        psutil.wait_procs(left, timeout=1)
    assert not made.processes(), "processes of Slurm are left"


# ---------------------------------------------------------------------------- one that is played

PLAYED = {
    "scontrol": """\
#!{python}
import sys
if sys.argv[1:3] == ["show", "config"]:
    print("MaxArraySize            = 3\\nMaxJobCount             = 10000")
else:
    with open({calls!r}, "a") as calls:
        calls.write(__import__("json").dumps(sys.argv) + "\\n")
""",
    "squeue": """\
#!{python}
import pathlib
print(pathlib.Path({queue!r}).read_text(), end="")
""",
    "sbatch": """\
#!{python}
import json, os, pathlib, sys
calls = pathlib.Path({calls!r})
lines = calls.read_text().splitlines() if calls.exists() else []
if os.environ.get("FULL") and lines:
    sys.exit("sbatch: error: QOSMaxSubmitJobPerUserLimit")
calls.write_text("".join(line + "\\n" for line in [*lines, json.dumps([os.getcwd(), *sys.argv[1:]])]))
print(f"{{70 + len(lines)}};cluster")
""",
}


@dataclass(frozen=True, slots=True)
class Played:
    """What was submitted, which is not run before `make` says so."""

    folder: Path

    @property
    def calls(self) -> list[list[str]]:
        file = self.folder / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def queue(self, *jobs: int) -> None:
        """Let these be in the queue."""
        (self.folder / "queue").write_text("".join(f"{job}\n" for job in jobs))

    def make(self, call: list[str]) -> None:
        """Run an array, one task after the other, or a job."""
        cwd, *words = call
        options = [word for word in words if word.startswith("--")]
        script = [word for word in words if not word.startswith("--")]
        array = next(
            (re.fullmatch(r"--array=1-(\d+)(%\d+)?", each) for each in options if "array" in each), None
        )
        for index in range(1, int(array[1]) + 1) if array else [0]:
            subprocess.run(
                ["bash", *script], cwd=cwd, env=os.environ | {"SLURM_ARRAY_TASK_ID": str(index)}, check=True
            )


def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """A fixture: it is on the PATH."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    for name, text in PLAYED.items():
        program = folder / name
        program.write_text(
            text.format(python=sys.executable, calls=str(folder / "calls"), queue=str(folder / "queue"))
        )
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    found = Played(folder)
    found.queue()
    return found
