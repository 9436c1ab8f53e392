"""Chromium's switches that keep a driven browser's traffic on the egress proxy."""

ALWAYS = (
    # The old --force-webrtc-ip-handling-policy does nothing; this one keeps UDP inside.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--dns-prefetch-disable",
    "--no-pings",
)

PROXY_HOST = "127.0.0.1"


def egress_flags() -> tuple[str, ...]:
    """For a browser behind the egress proxy: no UDP past it, and no name resolved but by it."""
    return (*ALWAYS, f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {PROXY_HOST}", "--proxy-bypass-list=<-loopback>")
