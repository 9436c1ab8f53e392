"""Chromium's switches against the installed Playwright."""

import re
from pathlib import Path

import playwright

from engine.browser.flags import PLAYWRIGHTS_OWN, egress_flags


def test_our_list_of_disabled_features_holds_all_of_playwrights() -> None:
    """Chromium listens to the last list only: a Playwright that disables more must be followed."""
    bundle = next((Path(playwright.__file__).parent / "driver/package/lib").rglob("coreBundle.js")).read_text()
    found = re.search(r"disabledFeatures = \[(.*?)\]", bundle, re.DOTALL)
    assert found is not None
    assert set(re.findall(r'^\s*"(\w+)"', found[1], re.MULTILINE)) <= set(PLAYWRIGHTS_OWN)


def test_udp_is_kept_by_the_switch_that_works() -> None:
    """The --force- form of the switch does nothing."""
    assert "--webrtc-ip-handling-policy=disable_non_proxied_udp" in egress_flags()
