"""Messages over a socket: what is sent comes; what is not a message, too large or too late is told apart."""

import os
import socket
import struct
import threading
import time

import pytest

from labkit.sandbox import wire

LONG = 120.0  # seconds that no test waits for


@pytest.fixture
def line():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(LONG)
        theirs.settimeout(LONG)
        yield ours, theirs


@pytest.mark.parametrize("message", [None, {"a": [1, 2.5, "ä\ud800"]}, [], "x" * 100_000, {"nested": {"deep": True}}])
def test_what_is_sent_is_received(line, message):
    sender = threading.Thread(target=wire.send, args=(line[0], message))
    sender.start()
    assert wire.receive(line[1], LONG) == message
    sender.join()


def test_messages_come_one_by_one(line):
    for i in range(5):
        wire.send(line[0], i)
    assert [wire.receive(line[1], LONG) for _ in range(5)] == list(range(5))


def test_silence_is_a_time_out(line):
    began = time.monotonic()
    with pytest.raises(wire.TimedOut):
        wire.receive(line[0], 0.2)
    assert time.monotonic() - began > 0.15, "not before its time"


def test_an_endless_trickle_is_a_time_out(line):
    """A byte now and then does not put the end off."""
    ours, theirs = line
    theirs.sendall(struct.pack("!I", 1000))
    stop = threading.Event()

    def trickle():
        while not stop.wait(0.02):
            theirs.sendall(b" ")

    sender = threading.Thread(target=trickle)
    sender.start()
    with pytest.raises(wire.TimedOut):
        wire.receive(ours, 0.3)
    stop.set()
    sender.join()


def test_the_end_of_the_line_is_closed(line):
    line[1].close()
    with pytest.raises(wire.Closed):
        wire.receive(line[0], LONG)
    with pytest.raises(wire.Closed):
        wire.send(line[0], "x" * 10_000_000)


def test_the_end_of_the_line_in_the_middle_of_a_message_is_closed(line):
    line[1].sendall(struct.pack("!I", 100) + b"half")
    line[1].close()
    with pytest.raises(wire.Closed):
        wire.receive(line[0], LONG)


def test_a_reader_who_does_not_read_is_a_time_out(line):
    line[0].settimeout(0.2)
    with pytest.raises(wire.TimedOut):
        wire.send(line[0], "x" * 10_000_000)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe", b"[1,]", b"[" * 100_000, b"9" * 5000, b"\x80\x04\x95", b"{'a': 1}", b'{"a": 1} 2']
)
def test_what_is_no_json_is_garbled(line, data):
    sender = threading.Thread(target=line[1].sendall, args=(struct.pack("!I", len(data)) + data,))
    sender.start()
    with pytest.raises(wire.Garbled):
        wire.receive(line[0], LONG)
    sender.join()


def test_a_message_that_is_too_large_is_garbled_before_it_is_read(line):
    line[1].sendall(struct.pack("!I", 1001) + b"x")
    with pytest.raises(wire.Garbled, match="1001 bytes"):
        wire.receive(line[0], LONG, largest=1000)
    line[1].sendall(struct.pack("!I", 2**32 - 1))
    with pytest.raises(wire.Garbled):
        wire.receive(line[0], LONG)


def test_files_that_are_sent_along_are_not_taken(line):
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    read, write = os.pipe()
    data = b'"hello"'
    socket.send_fds(line[1], [struct.pack("!I", len(data)) + data], [read, write])
    os.close(read)
    os.close(write)
    assert wire.receive(line[0], LONG) == "hello"
    assert before is None or len(os.listdir("/proc/self/fd")) == before


def test_the_watch_is_kept_in_silence_and_while_bytes_come(line):
    ours, theirs = line

    class Enough(Exception):
        pass

    def watch():
        raise Enough

    with pytest.raises(Enough):
        wire.receive(ours, LONG, watch=watch)
    stop = threading.Event()

    def trickle():
        while not stop.is_set():
            theirs.sendall(b"\0\0\1\0"[:1])
            time.sleep(0.01)

    theirs.sendall(struct.pack("!I", 4000))
    sender = threading.Thread(target=trickle)
    sender.start()
    with pytest.raises(Enough):
        wire.receive(ours, LONG, watch=watch)
    stop.set()
    sender.join()
