"""What the browser's Python lacks (threads, signals, processes, pip) is missed by nothing that labkit does there."""


def test_labkit_knows_where_it_is(run):
    assert run("place.py") == "fine\n"
