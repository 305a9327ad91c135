"""Names of hosts."""

from ipaddress import ip_address


def is_this_machine(host: str) -> bool:
    """Whether a host name is that of this machine."""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
