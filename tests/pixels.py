"""Looks for magenta in a JPEG: what a test page draws in magenta must not be in a screenshot that hides it."""

import base64

from playwright.async_api import Page

_COUNT = """async (source) => { const image = new Image(); image.src = source; await image.decode();
  const canvas = document.createElement('canvas'); canvas.width = image.width; canvas.height = image.height;
  const context = canvas.getContext('2d'); context.drawImage(image, 0, 0);
  const dots = context.getImageData(0, 0, canvas.width, canvas.height).data; let found = 0;
  for (let at = 0; at < dots.length; at += 4) found += dots[at] > 180 && dots[at + 1] < 110 && dots[at + 2] > 180;
  return found; }"""


async def magenta(page: Page, picture: bytes) -> int:
    """How many dots of the picture are magenta; any page can count them."""
    found: int = await page.evaluate(_COUNT, f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}")
    return found
