"""`torch.cuda`: there is no GPU here, and code that asks is told so."""


def is_available() -> bool:
    """False: everything runs on the CPU."""
    return False


def device_count() -> int:
    """0."""
    return 0
