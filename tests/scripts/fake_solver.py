"""A solver that behaves as its first argument says; the second one only marks its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType
from typing import NoReturn

MODEL = "s SATISFIABLE\no 7\nv 1 -2 3 0\n"


def say(text: str) -> None:
    os.write(1, text.encode())


def obey(number: int, frame: FrameType | None) -> NoReturn:
    say(MODEL)
    os._exit(40)


def wait() -> NoReturn:
    while True:
        time.sleep(0.02)


def sleep() -> None:
    """Never ends by itself, ends silently on SIGTERM."""
    wait()


def anytime() -> None:
    """Prints its model on SIGTERM."""
    signal.signal(signal.SIGTERM, obey)
    say("o 7\n")
    wait()


def late() -> None:
    """Needs a while for that."""

    def slowly(number: int, frame: FrameType | None) -> NoReturn:
        time.sleep(0.25)
        obey(number, frame)

    signal.signal(signal.SIGTERM, slowly)
    say("o 7\n")
    wait()


def thinks() -> None:
    """Works for more than a second before it prints."""

    def work(number: int, frame: FrameType | None) -> NoReturn:
        end = time.monotonic() + 1.3
        while time.monotonic() < end:
            pass
        obey(number, frame)

    signal.signal(signal.SIGTERM, work)
    say("o 7\n")
    wait()


def impatient() -> None:
    """A second SIGTERM while it prints makes it give up."""

    def once(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        time.sleep(0.25)
        obey(number, frame)

    signal.signal(signal.SIGTERM, once)
    wait()


def hesitant() -> None:
    """Prints its model on SIGTERM, bit by bit, and stays."""

    def slowly(number: int, frame: FrameType | None) -> None:
        say("o 8\n")
        time.sleep(0.1)
        say(MODEL)

    signal.signal(signal.SIGTERM, slowly)
    wait()


def deaf() -> None:
    """Ignores SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("o 7\n")
    wait()


def burn() -> None:
    """Uses CPU; prints its model on SIGTERM."""
    signal.signal(signal.SIGTERM, obey)
    while True:
        pass


def short_children() -> None:
    """Uses CPU only in children that live for a moment."""
    signal.signal(signal.SIGTERM, obey)
    while True:
        child = os.fork()
        if child == 0:
            end = time.process_time() + 0.03
            while time.process_time() < end:
                pass
            os._exit(0)
        os.waitpid(child, 0)


def eat() -> None:
    """Takes ten more MiB every 10 ms; prints its model on SIGTERM."""
    signal.signal(signal.SIGTERM, obey)
    eaten: list[bytearray] = []
    while len(eaten) < 100:
        eaten.append(bytearray(b"x" * (10 << 20)))
        time.sleep(0.01)
    wait()


def gorge() -> None:
    """Takes memory as fast as it can, and ignores SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    eaten: list[bytearray] = []
    while len(eaten) < 200:
        eaten.append(bytearray(b"x" * (10 << 20)))
    wait()


def share() -> None:
    """Four processes that share 80 MiB; ends by itself."""
    block = bytearray(b"x" * (80 << 20))
    children = [os.fork() for _ in range(3)]
    time.sleep(0.4)
    if all(children):
        say(f"c {len(block)}\n")
        for child in children:
            os.waitpid(child, 0)
    os._exit(0)


def family() -> None:
    """A child, one in a new session, an orphan and a daemon; then waits."""
    breed()
    wait()


def leave_behind() -> None:
    """The same, but ends."""
    breed()
    time.sleep(0.1)
    os._exit(3)


def breed() -> None:
    for new_session in (False, True):
        for orphan in (False, True):
            if os.fork() == 0:
                if new_session:
                    os.setsid()
                if orphan and os.fork() != 0:
                    os._exit(0)
                deaf()


def scrubbed() -> None:
    """Leaves a program with no environment, in a session of its own, that becomes an orphan after a while."""
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            os.execve(sys.executable, [sys.executable, "-S", __file__, "deaf", *sys.argv[2:]], {})
        time.sleep(0.2)
        os._exit(0)
    wait()


def helper() -> None:
    """The solver proper is the parent of an idle child that does not mind SIGTERM."""
    if os.fork() == 0:
        deaf()
    anytime()


def last_words() -> None:
    """Ends while a child still prints."""
    if os.fork() == 0:
        time.sleep(0.1)
        say(MODEL)
    os._exit(10)


def unfinished() -> None:
    """Prints no line end."""
    say("o 7\nv 1 -2 3 0")


def closes() -> None:
    """Closes its output and goes on."""
    say("o 7\n")
    os.close(1)
    os.close(2)
    time.sleep(0.3)
    os._exit(7)


def flood() -> None:
    """A million lines as fast as they go."""
    for start in range(1_000_000, 0, -10_000):
        sys.stdout.write("".join(f"o {i}\n" for i in range(start, start - 10_000, -1)))


def steady() -> None:
    """A hundred thousand lines one by one."""
    for i in range(100_000, 0, -1):
        os.write(1, b"o %d\n" % i)


def endless() -> None:
    """Lines without end; prints its model on SIGTERM."""
    signal.signal(signal.SIGTERM, obey)
    pour()


def deaf_endless() -> None:
    """Lines without end, whatever happens."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pour()


def pour() -> NoReturn:
    block = b"c 0123456789abcdef\n" * 1000
    while True:
        os.write(1, block)


def long_line() -> None:
    """A line of 100 MB between two that count."""
    say("o 8\n")
    for _ in range(100):
        os.write(1, b"c" * 1_000_000)
    say("\n" + MODEL)


def blocks() -> None:
    """Prints in blocks unless to a terminal, and does not come to its end."""
    with open(1, "w", closefd=False) as out:
        print("o 7", file=out)
        wait()


def garbage() -> None:
    """Any bytes."""
    os.write(1, bytes(range(256)) * 100)
    os.write(2, b"\xff\xfe\x00")


def crash() -> None:
    """Dies of a signal when told to stop."""
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(os.getpid(), signal.SIGSEGV))
    wait()


def reads_stdin() -> None:
    """As Open-WBO does without a file."""
    say(f"c {len(sys.stdin.read())} bytes\n")


def reads_and_waits() -> None:
    """The same, and prints its model on SIGTERM."""
    signal.signal(signal.SIGTERM, obey)
    reads_stdin()
    wait()


def cores() -> None:
    """The cores that it may use."""
    say(f"{sorted(os.sched_getaffinity(0))}\n")


def threads() -> None:
    """Three threads, and two in a child, for a while."""
    child = os.fork()
    others = [threading.Thread(target=time.sleep, args=(0.5,)) for _ in range(2 if child else 1)]
    for each in others:
        each.start()
    for each in others:
        each.join()
    if child:
        os.waitpid(child, 0)


def nested() -> None:
    """A solver that is a script that starts a program with an empty environment."""
    subprocess.run([sys.executable, __file__, "anytime", *sys.argv[2:]], env={}, check=False)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
