"""Chromium's switches: what no driven browser needs, and what keeps its traffic on the egress proxy."""

ALWAYS = (
    # The old --force-webrtc-ip-handling-policy does nothing; this one keeps UDP inside.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-domain-reliability",
    "--dns-prefetch-disable",
    "--no-pings",
    # Routing does not see what a shared worker sends; pages live without one, as they do in private windows.
    "--disable-shared-workers",
)

PLAYWRIGHTS_OWN = (
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
    "msForceBrowserSignIn", "msEdgeUpdateLaunchServicesPreferredVersion",
)  # fmt: skip
"""What Playwright disables: Chromium listens to the last list only, so ours repeats it (a contract test compares the two)."""

ADDRESS_BAR = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")
"""Windows that nobody sees: newer Chromiums start a process more for the list under the address bar of every page."""

OURS = ("FetchLaterAPI", "FedCm")
"""Requests that no route layer can hold: they leave after their page is gone, or are the browser's own."""

PROXY_HOST = "127.0.0.1"


def without(*features: str) -> str:
    """The switch that takes features away; Chromium listens to the last such switch only."""
    return f"--disable-features={','.join((*PLAYWRIGHTS_OWN, *ADDRESS_BAR, *features))}"


QUIET = (
    "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    without(),
)  # fmt: skip
"""For every browser that is driven."""


def egress_flags() -> tuple[str, ...]:
    """For a browser behind the egress proxy: no UDP past it, and no name resolved but by it."""
    return (
        *ALWAYS,
        without(*OURS),
        f"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {PROXY_HOST}",
        "--proxy-bypass-list=<-loopback>",
    )
