"""A small PDF, written by hand: lines of fixed-width text on letter pages."""

from collections.abc import Sequence

_LINES_A_PAGE = 54
_ESCAPES = str.maketrans({"\\": r"\\", "(": r"\(", ")": r"\)"})


def text_pdf(lines: Sequence[str]) -> bytes:
    """A PDF 1.4 file that shows `lines` in Courier; characters outside Latin-1 become `?`."""
    pages = [lines[start : start + _LINES_A_PAGE] for start in range(0, max(len(lines), 1), _LINES_A_PAGE)]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        objects += [_page(5 + 2 * number), _content(page)]
    return _file(objects)


def _page(content: int) -> bytes:
    resources = "/Resources << /Font << /F1 3 0 R >> >>"
    return f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {resources} /Contents {content} 0 R >>".encode()


def _content(lines: Sequence[str]) -> bytes:
    shown = "\n".join(f"({line.translate(_ESCAPES)}) Tj T*" for line in lines)
    stream = f"BT /F1 10 Tf 13 TL 48 740 Td\n{shown}\nET".encode("latin-1", "replace")
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)


def _file(objects: Sequence[bytes]) -> bytes:
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    entries = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, entries)
    return body + table + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(body))
