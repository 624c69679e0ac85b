# Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small SVG writer for bench/charts.py: no dependencies, and the same input gives the same bytes.

The colours are those of Okabe and Ito, which people with any of the common colour deficiencies can tell apart; charts give every
series a shape of its own, too. A picture has a light background of its own, so that it looks the same on a dark page.
"""

from xml.sax.saxutils import escape

BACKGROUND, GRID, TEXT, MUTED = "#fcfcfd", "#dcdfe4", "#1f2328", "#57606a"
BLUE, ORANGE, GREEN, SKY, PURPLE, YELLOW = "#0072b2", "#d55e00", "#009e73", "#56b4e9", "#cc79a7", "#f0e442"
FONT = "-apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Helvetica, Arial, sans-serif"


def number(value):
    """A coordinate: at most one decimal, no trailing zero, no minus zero."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Svg:
    """Elements in the order in which they are added. `title` and `description` are read by screen readers."""

    def __init__(self, width, height, title, description):
        self.width, self.height, self.title, self.description = width, height, title, description
        self.parts = []

    def add(self, tag, text=None, **attributes):
        given = "".join(f' {key.replace("_", "-")}="{number(value) if isinstance(value, (int, float)) else escape(value, {chr(34): "&quot;"})}"'
                        for key, value in attributes.items() if value is not None)
        self.parts.append(f"<{tag}{given}/>" if text is None else f"<{tag}{given}>{escape(text)}</{tag}>")

    def line(self, x1, y1, x2, y2, stroke=GRID, width=1.0, dash=None):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, stroke_dasharray=dash)

    def rect(self, x, y, width, height, fill, opacity=None, stroke=None, radius=None, dash=None):
        self.add("rect", x=x, y=y, width=width, height=height, rx=radius, fill=fill, fill_opacity=None if opacity is None else f"{opacity:g}",
                 stroke=stroke, stroke_dasharray=dash)

    def text(self, x, y, text, anchor="start", size=12, fill=TEXT, bold=False):
        self.add("text", text, x=x, y=y, text_anchor=None if anchor == "start" else anchor, font_size=size, fill=fill,
                 font_weight="600" if bold else None)

    def circle(self, x, y, radius, fill, stroke=None):
        self.add("circle", cx=x, cy=y, r=radius, fill=fill, stroke=stroke, stroke_width=1.5 if stroke else None)

    def square(self, x, y, half, fill, stroke):
        self.add("rect", x=x - half, y=y - half, width=2 * half, height=2 * half, fill=fill, stroke=stroke, stroke_width=1.5)

    def diamond(self, x, y, half, fill, stroke=None):
        self.add("path", d=f"M{number(x)} {number(y - half)}L{number(x + half)} {number(y)}L{number(x)} {number(y + half)}L{number(x - half)} {number(y)}Z",
                 fill=fill, stroke=stroke, stroke_width=1.5 if stroke else None)

    def arrow(self, x, y, direction, colour):
        """A triangle at the end of the axis, for a value beyond it (`direction` is 1 or -1)."""
        self.add("path", d=f"M{number(x)} {number(y - 4)}L{number(x + 6 * direction)} {number(y)}L{number(x)} {number(y + 4)}Z", fill=colour)

    def whisker(self, low, high, y, colour):
        self.line(low, y, high, y, colour, 1.5)
        for x in (low, high):
            self.line(x, y - 3, x, y + 3, colour, 1.5)

    def __str__(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
                f'role="img" aria-labelledby="title description" font-family="{FONT}" font-size="12">')
        frame = f'<rect width="{self.width}" height="{self.height}" rx="6" fill="{BACKGROUND}"/>'
        return "\n".join([head, f'<title id="title">{escape(self.title)}</title>', f'<desc id="description">{escape(self.description)}</desc>', frame,
                          *self.parts, "</svg>"]) + "\n"
