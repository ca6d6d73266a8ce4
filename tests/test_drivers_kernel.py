"""The drivers that leave the accounts to the kernel: control groups, and BenchExec's runexec.

What every driver has to do is in `conformance/test_drivers.py`.  Here is what only these can do, where the
machine has it, and their reading of files: of both versions of control groups, on folders in which a
fake kernel makes the files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.drivers import Limits, Run, _cgroups, _guardian, cgroup, runexec
from wcnfgen.drivers._cgroups import Group, keyed, places, sweep
from wcnfgen.drivers._processes import Tree
from wcnfgen.errors import SolverError

ROOT = Path(__file__).parents[1]
MIB = 1 << 20
NOBODY = 1 << 23  # more than any number of a process

V2 = {"cgroup.procs": "", "cgroup.kill": "", "cpu.stat": "usage_usec 2500000\nuser_usec 2000000\n"}
V2_MEMORY = {
    "memory.max": "max",
    "memory.swap.max": "max",
    "memory.oom.group": "0",
    "memory.peak": f"{700 * MIB}\n",
    "memory.stat": f"anon {90 * MIB}\nfile {610 * MIB}\nshmem {10 * MIB}\nanon_thp 0\n",
    "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n",
}
V1_MEMORY = {
    "cgroup.procs": "",
    "memory.limit_in_bytes": "9223372036854771712",
    "memory.memsw.limit_in_bytes": "9223372036854771712",
    "memory.max_usage_in_bytes": f"{700 * MIB}\n",
    "memory.stat": f"cache 7\nrss 7\ntotal_cache {610 * MIB}\ntotal_rss {90 * MIB}\ntotal_shmem {10 * MIB}\n",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
}
V1_CPU = {"cgroup.procs": "", "cpuacct.usage": "2500000000\n"}
LONG = Limits(wall_s=20)
SAMPLED = Run(
    command=("x",),
    exit_code=1,
    limit=None,
    wall_s=1.0,
    cpu_s=0.5,
    peak_mib=50.0,
    signalled_s=None,
    killed=False,
    output_bytes=0,
    stdout=None,
    stderr=None,
)
BOTH = pytest.mark.parametrize("version", ["v1", "v2"])


class Kernel:
    """Folders that behave like the file system of control groups."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[Path, dict[str, str]] = {}

    def hierarchy(self, name: str, files: dict[str, str]) -> Path:
        place = self.root / name
        place.mkdir()
        self.files[place] = files
        return place

    def mkdir(self, folder: Path) -> None:
        folder.mkdir()
        for name, text in self.files[folder.parent].items():
            (folder / name).write_text(text)

    def groups(self, version: str) -> dict[str, Path]:
        if version == "v2":
            return {"unified": self.hierarchy("unified", V2 | V2_MEMORY)}
        kinds = {"memory": V1_MEMORY, "cpuacct": V1_CPU}
        return {kind: self.hierarchy(kind, files) for kind, files in kinds.items()}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel(tmp_path)
    monkeypatch.setattr(_cgroups, "_make", made.mkdir)
    monkeypatch.setattr(_cgroups, "_remove", shutil.rmtree)
    return made


class TestWhatAGroupTells:
    @BOTH
    def test_cpu_time(self, kernel: Kernel, version: str) -> None:
        with Group(kernel.groups(version)) as group:
            assert group.cpu_s() == 2.5

    @BOTH
    def test_files_that_were_read_are_not_memory(self, kernel: Kernel, version: str) -> None:
        with Group(kernel.groups(version)) as group:
            assert group.counts_memory
            assert (group.mib(), group.peak_mib()) == (100, 100)

    def test_a_peak_between_two_looks(self, kernel: Kernel) -> None:
        with Group(kernel.groups("v2")) as group:
            group.mib()
            (group._folders["unified"] / "memory.peak").write_text(str(900 * MIB))
            assert (group.mib(), group.peak_mib()) == (100, 300)

    def test_pages_that_were_given_back_are_not_memory_later(self, kernel: Kernel) -> None:
        with Group(kernel.groups("v2")) as group:
            group.mib()
            (group._folders["unified"] / "memory.stat").write_text(f"anon {50 * MIB}\nfile 0\nshmem 0\n")
            assert (group.mib(), group.peak_mib()) == (50, 100)

    @BOTH
    def test_processes_killed_for_memory(self, kernel: Kernel, version: str) -> None:
        with Group(kernel.groups(version)) as group:
            assert group.oom_kills() == 2

    def test_v2_without_the_memory_controller(self, kernel: Kernel) -> None:
        with Group({"unified": kernel.hierarchy("unified", V2)}, hard_mib=100) as group:
            assert not group.counts_memory
            assert (group.cpu_s(), group.mib(), group.peak_mib(), group.oom_kills()) == (2.5, 0, 0, 0)

    def test_v2_beside_v1(self, kernel: Kernel) -> None:
        """Memory from v1, the rest from v2."""
        places = {"unified": kernel.hierarchy("unified", V2), "memory": kernel.hierarchy("memory", V1_MEMORY)}
        with Group(places) as group:
            assert (group.cpu_s(), group.mib(), group.oom_kills()) == (2.5, 100, 2)
            assert len(group.procs) == 2

    def test_a_kernel_that_keeps_no_peak(self, kernel: Kernel) -> None:
        files = {name: text for name, text in (V2 | V2_MEMORY).items() if name != "memory.peak"}
        with Group({"unified": kernel.hierarchy("unified", files)}) as group:
            assert group.peak_mib() == 100

    @BOTH
    def test_who_is_in_it_also_further_down(self, kernel: Kernel, version: str) -> None:
        with Group(kernel.groups(version)) as group:
            for folder in group._folders.values():
                (folder / "cgroup.procs").write_text(f"{NOBODY}\n{NOBODY + 1}\n")
                (folder / "inner").mkdir()
                (folder / "inner" / "cgroup.procs").write_text(f"{NOBODY + 2}\n")
            assert group.members() == {NOBODY, NOBODY + 1, NOBODY + 2}

    def test_one_that_we_cannot_see(self, kernel: Kernel) -> None:
        """Of another namespace: to send signals to its number, 0, would be to send them to ourselves."""
        with Group(kernel.groups("v2")) as group:
            Path(group.procs[0]).write_text("0\n0\n")
            assert group.members() == set()

    @given(st.dictionaries(st.text("abc_", min_size=1), st.integers(0, 1 << 64)))
    def test_tables(self, table: dict[str, int]) -> None:
        path = Path(os.devnull)
        with pytest.MonkeyPatch.context() as patch:
            text = "".join(f"{name} {number}\n" for name, number in table.items())
            patch.setattr(_cgroups, "_read", lambda _: f"{text}some avg10=0.00 total=0\nhalf a\n")
            assert keyed(path) == table


class TestWhatARunIsTold:
    """The figures are those of the fake kernel, whatever was sampled."""

    def test_in_the_end(self, kernel: Kernel) -> None:
        with Group(kernel.groups("v2")) as group:
            counted = cgroup._counted(SAMPLED, group, Limits(memory_hard_mib=500))
            unlimited = cgroup._counted(SAMPLED, group, Limits())
        assert (counted.cpu_s, counted.peak_mib, counted.limit, counted.killed) == (2.5, 100, "memory", True)
        assert (unlimited.cpu_s, unlimited.limit, unlimited.killed) == (2.5, None, False)

    def test_meanwhile(self, kernel: Kernel) -> None:
        """That the kernel had to kill one ends the run, though pages of files hide that memory ran out."""
        with Group(kernel.groups("v2")) as group:
            meter = cgroup.GroupMeter(Tree(os.getpid(), "none"), Limits(memory_hard_mib=500), group)
            meter.sample()
        assert (meter.cpu_s, meter.mib) == (2.5, 100)
        assert meter.peak_mib > 500


class TestALimitIsGivenToTheKernel:
    def test_v2(self, kernel: Kernel) -> None:
        with Group(kernel.groups("v2"), hard_mib=100) as group:
            written = {n: (group._folders["unified"] / n).read_text() for n in V2_MEMORY}
        assert written["memory.max"] == str(100 * MIB)
        assert (written["memory.swap.max"], written["memory.oom.group"]) == ("0", "1")

    def test_v1(self, kernel: Kernel) -> None:
        with Group(kernel.groups("v1"), hard_mib=100) as group:
            written = {n: (group._folders["memory"] / n).read_text() for n in V1_MEMORY}
        assert written["memory.limit_in_bytes"] == str(100 * MIB)
        assert written["memory.memsw.limit_in_bytes"] == str(100 * MIB)

    @BOTH
    def test_none_is_none(self, kernel: Kernel, version: str) -> None:
        with Group(kernel.groups(version)) as group:
            folder = group._folders.get("memory", group._folders.get("unified"))
            assert folder is not None
            files = V1_MEMORY if version == "v1" else V2_MEMORY
            assert {name: (folder / name).read_text() for name in files} == files


class TestGroupsAreRemoved:
    @BOTH
    def test_at_the_end(self, kernel: Kernel, version: str) -> None:
        places = kernel.groups(version)
        with Group(places):
            assert all(list(place.iterdir()) for place in places.values())
        assert not any(list(place.iterdir()) for place in places.values())

    def test_when_not_all_can_be_made(self, kernel: Kernel) -> None:
        places = kernel.groups("v1")
        places["cpuacct"] = kernel.root / "missing" / "cpuacct"
        with pytest.raises(OSError):
            Group(places)
        assert list(places["memory"].iterdir()) == []

    def test_those_of_dead_drivers(self, kernel: Kernel) -> None:
        place = kernel.hierarchy("unified", V2)
        with subprocess.Popen(["true"]) as dead:
            pass
        here = _cgroups._namespace()
        own = process_started(os.getpid())
        left = [f"wcnfgen-{dead.pid}-1-{here}-0", f"wcnfgen-{os.getpid()}-{own + 1}-{here}-0"]
        kept = [
            f"wcnfgen-{os.getpid()}-{own}-{here}-99",  # ours
            f"wcnfgen-{dead.pid}-1-{here + 1}-0",  # of a container, perhaps, whose processes we cannot see
            "wcnfgen-else",
            f"other-{dead.pid}-1-{here}-0",
        ]
        for name in left + kept:
            kernel.mkdir(place / name)
        sweep({"unified": place})
        assert sorted(folder.name for folder in place.iterdir()) == sorted(kept)


def process_started(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19])


class Machine:
    """A process with its /proc, and the hierarchies that it sees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.proc = folder / "proc"
        self.proc.mkdir()
        self._own: list[str] = []
        self._mounts: list[str] = ["22 1 0:20 / / rw - ext4 /dev/sda rw"]

    def mount(self, name: str, own: str, options: str | None = None, root: str = "/") -> Path:
        """A hierarchy in which the process is in group `own`; of v2 if there are no options."""
        mount = self.folder / name
        kind = "cgroup2 cgroup2 rw" if options is None else f"cgroup cgroup rw,{options}"
        self._own.append(f"{len(self._own)}:{options or ''}:{own}")
        self._mounts.append(f"{len(self._own) + 30} 22 0:29 {root} {mount} rw shared:7 - {kind}")
        (self.proc / "cgroup").write_text("\n".join(self._own) + "\n")
        (self.proc / "mountinfo").write_text("\n".join(self._mounts) + "\n")
        return mount

    def group(self, folder: Path, *, may: bool = True, hands_on: str = "", memory_max: str = "max") -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.subtree_control").write_text(hands_on + "\n")
        (folder / "memory.max").write_text(memory_max + "\n")
        if may:
            (folder / "cgroup.procs").touch()
        return folder


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


class TestWhereGroupsAreMade:
    def test_v2_beside_our_own_which_has_processes(self, machine: Machine) -> None:
        mount = machine.mount("v2", "/user/app/scope")
        machine.group(mount / "user", may=False, hands_on="cpu memory pids")
        app = machine.group(mount / "user/app", hands_on="memory pids")
        machine.group(mount / "user/app/scope")
        assert places(machine.proc) == {"unified": app}

    def test_v2_below_our_own_if_no_other_has_memory(self, machine: Machine) -> None:
        mount = machine.mount("v2", "/a/b")
        machine.group(mount / "a", hands_on="cpu")
        own = machine.group(mount / "a/b")
        assert places(machine.proc) == {"unified": own}

    def test_v2_a_limit_of_our_own_is_kept(self, machine: Machine) -> None:
        mount = machine.mount("v2", "/a/b")
        machine.group(mount / "a", hands_on="memory")
        own = machine.group(mount / "a/b", memory_max="1073741824")
        assert places(machine.proc) == {"unified": own}

    def test_v2_never_above_the_mount(self, machine: Machine) -> None:
        machine.group(machine.folder, hands_on="memory")
        own = machine.group(machine.mount("v2", "/"))
        assert places(machine.proc) == {"unified": own}

    def test_v2_in_a_container(self, machine: Machine) -> None:
        """What is mounted is the container's own group."""
        mount = machine.mount("v2", "/docker/1/own", root="/docker/1")
        machine.group(mount, hands_on="memory")
        assert places(machine.proc) == {"unified": mount}

    def test_v2_without_permission(self, machine: Machine) -> None:
        mount = machine.mount("v2", "/a")
        machine.group(mount, may=False)
        machine.group(mount / "a", may=False)
        assert places(machine.proc) == {}

    def test_v1(self, machine: Machine) -> None:
        memory = machine.group(machine.mount("memory", "/job", "memory") / "job")
        cpu = machine.group(machine.mount("cpu", "/", "cpu,cpuacct"))
        machine.group(machine.mount("freezer", "/", "freezer"))
        assert places(machine.proc) == {"memory": memory, "cpuacct": cpu}
        assert "freezer" in _cgroups.writable(machine.proc)

    def test_v1_that_only_counts_cpu_time_is_of_no_use(self, machine: Machine) -> None:
        machine.group(machine.mount("cpu", "/", "cpuacct"))
        assert places(machine.proc) == {}

    def test_both_without_memory_in_v2(self, machine: Machine) -> None:
        memory = machine.group(machine.mount("memory", "/job", "memory") / "job")
        machine.group(machine.mount("cpu", "/", "cpuacct"))
        unified = machine.group(machine.mount("unified", "/"))
        assert places(machine.proc) == {"memory": memory, "unified": unified}

    def test_a_group_out_of_sight(self, machine: Machine) -> None:
        machine.group(machine.mount("v2", "/elsewhere", root="/docker/1"))
        assert places(machine.proc) == {}

    def test_no_hierarchy(self, tmp_path: Path) -> None:
        assert places(tmp_path) == {}


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", dedent(code), *arguments)


def groups_of(pid: int) -> list[Path]:
    return [folder for place in _cgroups.writable().values() for folder in place.glob(f"wcnfgen-{pid}-*")]


def alive(mark: str) -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline"]) if mark in (p.info["cmdline"] or ())]


def until(done: Callable[[], bool]) -> bool:
    """Whether it came true in ten seconds."""
    deadline = time.monotonic() + 10
    while not done() and time.monotonic() < deadline:
        time.sleep(0.01)
    return done()


@pytest.fixture
def mark() -> str:
    return f"mark-{os.getpid()}-{time.monotonic_ns()}"


@pytest.fixture(params=["all", "v1"])
def real(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The kinds of real groups in use, where there are any: those that the driver chooses, or only v1's."""
    if (reason := cgroup.unavailable()) is not None:
        pytest.skip(reason)
    if request.param == "v1":
        found = {kind: place for kind, place in _cgroups.writable().items() if kind in ("memory", "cpuacct")}
        if len(found) < 2:
            pytest.skip("no groups of v1 can be made here")
        monkeypatch.setattr(cgroup, "places", lambda: found)
        return set(found)
    return set(places())


def run(command: tuple[str, ...], limits: Limits | None = None) -> Run:
    done = cgroup.run(command, limits or LONG, stdout=None, stderr=None)
    assert groups_of(os.getpid()) == []
    return done


HIDDEN = """
    import os, sys, time
    code = "block = bytearray(b'x') * (60 << 20); end = time.process_time() + 0.2\\n"
    code += "while time.process_time() < end: pass\\n"
    code += "open(sys.argv[1], 'x'); time.sleep(60)"
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            command = [sys.executable, "-S", "-c", "import sys, time; " + code, *sys.argv[1:]]
            os.execve(sys.executable, command, {})
        os._exit(0)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    time.sleep(float(sys.argv[3]))
"""


@pytest.mark.usefixtures("real")
class TestNothingEscapesAGroup:
    def test_a_daemon_with_an_empty_environment(self, tmp_path: Path, mark: str) -> None:
        done = run(python(HIDDEN, str(tmp_path / "ready"), mark, "0"))
        assert (done.exit_code, done.limit, done.killed) == (0, None, True)
        assert done.cpu_s > 0.2
        assert done.peak_mib > 60
        assert alive(mark) == []

    def test_one_that_only_the_group_knows(self) -> None:
        """Neither a descendant of the command nor one of ours."""
        started = subprocess.check_output(["sh", "-c", "sleep 60 >&2 & echo $!"], stderr=subprocess.DEVNULL)
        stranger = psutil.Process(int(started))

        def take_in(seconds: float, text: bytes) -> None:
            for folder in groups_of(os.getpid()):
                (folder / "cgroup.procs").write_text(str(stranger.pid))

        command = ("bash", "-c", "echo $$; sleep 0.3")
        done = cgroup.run(command, LONG, stdout=None, stderr=None, on_text=take_in)
        assert (done.exit_code, done.killed) == (0, True)
        assert until(lambda: not stranger.is_running() or stranger.status() == psutil.STATUS_ZOMBIE)

    @pytest.mark.parametrize("seconds", [60, 0])
    def test_a_child_of_ours_that_only_the_group_knows(self, real: set[str], seconds: int) -> None:
        """It is reaped, even if it has ended before anybody looks; then v1 does not know it any more."""
        if not seconds and "unified" not in real:
            pytest.skip("needs v2")
        joining = 'for file; do echo $$ > "$file"; done; exec sleep ' + str(seconds)
        started: list[subprocess.Popen[bytes]] = []

        def start(_: float, text: bytes) -> None:
            files = [str(folder / "cgroup.procs") for folder in groups_of(os.getpid())]
            command = ["/bin/sh", "-c", joining, "sh", *files]
            started.append(subprocess.Popen(command, start_new_session=True, env={}))
            process = psutil.Process(started[0].pid)
            assert until(lambda: process.status() == psutil.STATUS_ZOMBIE or process.name() == "sleep")
            assert seconds or until(lambda: process.status() == psutil.STATUS_ZOMBIE)

        cgroup.run(("bash", "-c", "echo; sleep 0.2"), LONG, stdout=None, stderr=None, on_text=start)
        assert not psutil.pid_exists(started[0].pid)
        started[0].wait()


class TestADriverThatIsKilled:
    def test_leaves_nothing_hidden(self, tmp_path: Path, mark: str) -> None:
        if (reason := cgroup.unavailable()) is not None:
            pytest.skip(reason)
        program = (
            "import sys; from wcnfgen.drivers import cgroup;"
            "cgroup.run(sys.argv[1:], stdout=None, stderr=None)"
        )
        hidden = python(HIDDEN, str(tmp_path / "ready"), mark, "60")
        with subprocess.Popen([sys.executable, "-c", program, *hidden], cwd=ROOT) as driver:
            assert until((tmp_path / "ready").exists)
            assert groups_of(driver.pid) != []
            driver.kill()
        assert until(lambda: alive(mark) == [])
        run(("true",))
        assert groups_of(driver.pid) == []

    def test_lets_runexec_remove_its_groups(self) -> None:
        if (reason := runexec.unavailable()) is not None:
            pytest.skip(reason)
        program = (
            "from pathlib import Path; from wcnfgen.drivers import runexec; command = 'echo $$; sleep 60';"
            "show = lambda seconds, text: print(text.decode(), flush=True);"
            "runexec.run(('sh', '-c', command), stdout=None, stderr=None, on_text=show)"
        )
        with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE) as driver:
            assert driver.stdout is not None
            pid = int(driver.stdout.readline())
            named = Path(f"/proc/{pid}/cgroup").read_text().split()
            groups = {name for line in named if (name := line.rpartition("/")[2]).startswith("benchmark_")}
            assert groups
            driver.kill()
        places = _cgroups.writable().values()
        assert until(lambda: not any((place / name).exists() for place in places for name in groups))

    def test_the_guardian_knows_the_group(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read = _guardian.read
        group = b"0::/user/wcnfgen-123-45-6-7\n"
        with subprocess.Popen(["sleep", "60"]) as member:
            monkeypatch.setattr(
                _guardian,
                "read",
                lambda pid, name: group if (pid, name) == (member.pid, "cgroup") else read(pid, name),
            )
            assert _guardian.find({b"WCNFGEN_RUN=123-99"}, frozenset()) == {member.pid}
            assert _guardian.find({b"WCNFGEN_RUN=12-99"}, frozenset()) == set()
            member.kill()


@pytest.mark.usefixtures("real")
class TestTheKernelKeepsTheBooks:
    def test_cpu_time_of_orphans_that_nobody_sees(self) -> None:
        code = """
            import os, time
            for _ in range(20):
                if os.fork() == 0:
                    if os.fork() == 0:
                        end = time.process_time() + 0.02
                        while time.process_time() < end:
                            pass
                    os._exit(0)
                os.wait()
            time.sleep(0.5)
        """
        assert 0.4 < run(python(code)).cpu_s < 2

    def test_pages_of_files_are_not_memory(self, tmp_path: Path) -> None:
        script = f"head -c 150000000 /dev/zero > {tmp_path}/file; cat {tmp_path}/file > /dev/null; sleep 0.2"
        if psutil_type(tmp_path) == "tmpfs":
            pytest.skip("there, files are memory")
        done = run(("bash", "-c", script), Limits(wall_s=20, memory_mib=100))
        assert (done.exit_code, done.limit) == (0, None)
        assert done.peak_mib < 100

    def test_a_peak_that_no_sample_sees(self) -> None:
        done = run(python("import time; time.sleep(0.12); x = bytearray(b'x') * (80 << 20); del x"))
        assert 80 < done.peak_mib < 120

    def test_the_hard_limit_ends_the_whole_run(self, mark: str) -> None:
        """The kernel only kills the process that asked for more."""
        eater = "import sys; x = bytearray(b'x') * (900 << 20)"
        script = f'{sys.executable} -S -c "{eater}" {mark}; sleep 20'
        done = run(("bash", "-c", script), Limits(wall_s=20, memory_hard_mib=100, grace_s=0.5))
        assert (done.limit, done.killed) == ("memory", True)
        assert done.wall_s < 10
        assert 90 < done.peak_mib <= 100
        assert alive(mark) == []


def psutil_type(folder: Path) -> str:
    """The kind of file system that a folder is on."""
    mounts = [m for m in psutil.disk_partitions(all=True) if folder.resolve().is_relative_to(m.mountpoint)]
    return str(max(mounts, key=lambda mount: len(mount.mountpoint)).fstype)


class TestARunThatNeverWas:
    def test_no_group_can_be_made(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cgroup, "places", lambda: {"unified": tmp_path / "missing"})
        assert "missing" in str(cgroup.unavailable())
        with pytest.raises(SolverError, match="cannot make a control group"):
            cgroup.run(("true",), stdout=None, stderr=None)

    def test_there_is_no_place(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cgroup, "places", dict)
        assert "no control group" in str(cgroup.unavailable())

    @pytest.mark.usefixtures("real")
    def test_it_may_not_be_joined(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Group, "procs", ["/no/such/folder/cgroup.procs"])
        with pytest.raises(SolverError, match="no process may join"):
            run(("true",))

    @pytest.mark.usefixtures("real")
    def test_no_group_is_left(self) -> None:
        with pytest.raises(SolverError, match="cannot start"):
            run(("/no/such/program",))
        assert groups_of(os.getpid()) == []


@pytest.fixture(params=[cgroup, runexec], ids=["cgroup", "runexec"])
def kernel_driver(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    if (reason := module.unavailable()) is not None:
        pytest.skip(reason)
    return module


class TestProgramsInFrontOfTheCommandLeaveNoTrace:
    @pytest.mark.parametrize("more", [{}, {"PWD": "/nowhere", "SHLVL": "7", "_": "x", "HOME": "/h"}])
    def test_in_the_environment(
        self, kernel_driver: ModuleType, tmp_path: Path, more: dict[str, str]
    ) -> None:
        env = {"A": "b c", "dotted.name": "1", "BASH_FUNC_f%%": "() { :; }", **more}
        kernel_driver.run(("/usr/bin/env",), stdout=tmp_path / "out", stderr=None, env=env)
        found = (line.split("=", 1) for line in (tmp_path / "out").read_text().splitlines())
        assert {name: value for name, value in found if not name.startswith("WCNFGEN_")} == env

    def test_a_name_that_looks_like_a_variable(self, kernel_driver: ModuleType, tmp_path: Path) -> None:
        program = tmp_path / "k=3"
        program.write_text("#!/bin/sh\nexit 5\n")
        program.chmod(0o755)
        assert kernel_driver.run((str(program),), stdout=None, stderr=None).exit_code == 5

    def test_a_file_that_is_no_program(self, kernel_driver: ModuleType, tmp_path: Path) -> None:
        """A shell would run it as a script."""
        (tmp_path / "notes").write_text("exit 5\n")
        (tmp_path / "notes").chmod(0o755)
        with pytest.raises(SolverError, match="Exec format error"):
            kernel_driver.run(("./notes",), stdout=None, stderr=None, cwd=tmp_path)

    def test_in_the_signals(self, kernel_driver: ModuleType, tmp_path: Path) -> None:
        """A shell starts what it does not wait for with SIGINT ignored."""
        command = ("grep", "^SigIgn", "/proc/self/status")
        kernel_driver.run(command, stdout=tmp_path / "out", stderr=None)
        with subprocess.Popen(command, stdout=subprocess.PIPE) as plain:
            assert plain.communicate()[0] == (tmp_path / "out").read_bytes()


FAKE = """\
#!{python}
import os, subprocess, sys
options, command = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
print("2026-01-01 - INFO - options", *options, file=sys.stderr)
if "{fails}":
    sys.exit("{fails}")
with open(options[options.index("--output") + 1], "w") as output:
    subprocess.run(command, stdout=output, stderr=output, env={{**os.environ, "HOME": "/fake"}})
print({results!r}, end="")
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a program on the PATH that takes runexec's options and prints these results."""

    def install(results: str = "", fails: str = "") -> None:
        program = tmp_path / "bin" / "runexec"
        program.parent.mkdir()
        program.write_text(FAKE.format(python=sys.executable, results=results, fails=fails))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)

    return install


class TestRunexec:
    """With a fake one; the real one goes through the conformance suite where it is installed."""

    def run(self, tmp_path: Path, script: str, limits: Limits | None = None) -> Run:
        command, out, err = ("bash", "-c", script), tmp_path / "out", tmp_path / "err"
        return runexec.run(command, limits or LONG, stdout=out, stderr=err)

    def test_its_figures(self, tmp_path: Path, fake: Callable[..., None]) -> None:
        fake(
            "starttime=2026\nreturnvalue=0\nwalltime=9s\ncputime=1.25s\ncputime-cpu0=1s\nmemory=524288000B\n"
        )
        done = self.run(tmp_path, "exit 3")
        assert (done.exit_code, done.limit, done.cpu_s, done.peak_mib) == (3, None, 1.25, 500)
        assert done.wall_s < 9

    def test_the_larger_figure_of_memory_counts(self) -> None:
        assert runexec.measured(SAMPLED, {"memory": str(40 * MIB)}).peak_mib == 50
        assert runexec.measured(SAMPLED, {"memory": str(60 * MIB)}).peak_mib == 60

    def test_outputs_are_apart_and_without_its_own(self, tmp_path: Path, fake: Callable[..., None]) -> None:
        fake("returnvalue=0\n")
        self.run(tmp_path, "echo out; echo err >&2")
        assert ((tmp_path / "out").read_bytes(), (tmp_path / "err").read_bytes()) == (b"out\n", b"err\n")

    def test_memory(self, tmp_path: Path, fake: Callable[..., None]) -> None:
        fake("terminationreason=memory\nexitsignal=9\nmemory=104857600B\n")
        done = self.run(tmp_path, "kill -9 $$", Limits(memory_mib=90, memory_hard_mib=100))
        assert (done.limit, done.killed, done.exit_code, done.peak_mib) == ("memory", True, -9, 100)

    def test_the_hard_limit_is_passed_on(self) -> None:
        assert runexec._runexec(100.0)[-3:] == ["--memlimit", "104857600", "--"]
        assert "--memlimit" not in runexec._runexec(float("inf"))

    def test_it_fails(self, tmp_path: Path, fake: Callable[..., None]) -> None:
        fake(fails="no control groups")
        with pytest.raises(SolverError, match="did not start bash: no control groups"):
            self.run(tmp_path, "true")

    def test_it_measures_nothing(
        self, tmp_path: Path, fake: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        fake("")
        done = self.run(tmp_path, "exit 3")
        assert (done.exit_code, done.limit) == (3, None)
        assert "sampled" in caplog.text

    def test_it_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(runexec, "_program", lambda: None)
        assert "pip install benchexec" in str(runexec.unavailable())
        with pytest.raises(SolverError, match="pip install benchexec"):
            runexec.run(("true",), stdout=None, stderr=None)

    @pytest.mark.parametrize(("kind", "may"), [("freezer", True), ("memory", False)])
    def test_it_needs_a_group_that_freezes(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, may: bool
    ) -> None:
        monkeypatch.setattr(runexec, "_program", lambda: "/bin/runexec")
        monkeypatch.setattr(runexec, "V2", tmp_path)
        monkeypatch.setattr(runexec, "writable", lambda: {kind: tmp_path})
        assert (runexec.unavailable() is None) == may

    def test_on_v2_it_needs_systemd_or_a_group_of_its_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(runexec, "_program", lambda: "/bin/runexec")
        monkeypatch.setattr(runexec, "V2", tmp_path)
        monkeypatch.setattr(os, "getuid", lambda: -1)
        (tmp_path / "cgroup.controllers").touch()
        assert "systemd" in str(runexec.unavailable())
        (tmp_path / "benchexec").mkdir()
        assert runexec.unavailable() is None
