"""A full disk and what else would come to every run ends the campaign, which goes on when that is over."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.campaigning import SAYS, Campaign, fresh

campaign = pytest.fixture(fresh)


NOISE = "head -c 3000000 /dev/urandom | base64"


def test_a_full_disk_stops_the_campaign_and_it_goes_on(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)]
    if (
        os.geteuid() != 0
        or not shutil.which("mount")
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("no file system can be mounted here: this takes root; the next test does without")
    try:
        small = Campaign(disk / "campaign")
        keys = small.plan({"loud": NOISE, **{f"i{place}": SAYS for place in range(3)}})
        code, said = small.run()
        assert code == 1 and "No space left" in said and "the same command goes on" in said
        small.must_be_tidy()
        assert len(list(small.store.keys())) < 4
        before = small.state()
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        assert small.run()[0] == 0
        small.must_be_whole(keys)
        assert before.items() <= small.state().items()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_no_room_for_a_file_stops_the_campaign_and_it_goes_on(campaign: Campaign) -> None:
    """What the kernel says of a file that may not be so large is handled as a full disk is."""
    keys = campaign.plan({"loud": NOISE, **{f"i{place}": SAYS for place in range(3)}})

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    code, said = campaign.run(preexec_fn=small)
    assert code == 1 and "File too large" in said and "the same command goes on" in said
    campaign.must_be_tidy()
    before = campaign.state()
    assert campaign.run()[0] == 0
    campaign.must_be_whole(keys)
    assert before.items() <= campaign.state().items()


def test_a_program_that_is_built_anew_meanwhile(campaign: Campaign) -> None:
    keys = campaign.plan({"one": f"echo '# new' >> {campaign.solver}; {SAYS}", "two": SAYS})
    before = campaign.solver.read_text()
    code, said = campaign.run("--jobs", "1")
    assert code == 1 and "solver is not the program that was planned with" in said
    assert len(list(campaign.store.keys())) <= 1, "what was made before stays"
    campaign.must_be_tidy()
    campaign.solver.write_text(before)
    (campaign.folder / "one.wcnf").write_text("c does exit\n1 1 0\n")
    campaign.plan({"two": SAYS})
    assert campaign.run()[0] == 0 and set(keys) & set(campaign.store.keys())


@pytest.mark.parametrize("name", ["attempts", "runs"])
def test_a_folder_that_cannot_be_written(campaign: Campaign, name: str) -> None:
    """Not even that a run begins: else nothing would count how often it was tried."""
    keys = campaign.plan({"one": SAYS, "two": SAYS})
    in_the_way = campaign.folder / name
    in_the_way.write_text("")
    code, said = campaign.run()
    assert code == 1 and f"{name}/" in said and "cannot write" in said and "the same command goes on" in said
    assert not campaign.ran()
    in_the_way.unlink()
    assert not any(campaign.store.tried(key) for key in keys)
    assert campaign.run()[0] == 0
    campaign.must_be_whole(keys)
