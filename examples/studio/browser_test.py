#!/usr/bin/env python3
"""Tests the page of the studio in a real browser: mouse, keyboard alone, narrow windows, files, and that the console has no errors.

    cargo build --release --example studio
    python3 examples/studio/browser_test.py [--studio PROGRAM] [--pictures FOLDER]

Chromium and its driver (Debian: chromium, chromium-driver) are driven over WebDriver with the standard library of Python. If they are not
installed, nothing is tested, and a line says so.
"""

import argparse
import base64
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import webdriver

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEW = "document.querySelector('.view:not([hidden])')"
LOW = "----------\n----------\n--o-------\nXXXX-XXXXX\n"
NETWORK = """network pets { }
variable cat { type discrete [ 2 ] { yes, no }; }
variable mouse { type discrete [ 2 ] { yes, no }; }
probability ( cat ) { table 0.25, 0.75; }
probability ( mouse | cat ) { (yes) 0.0, 1.0; (no) 0.5, 0.5; }
"""


class Page:
    """The page as a user sees it: the view that is shown, its board and its words."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address

    def view(self, name):
        """Opens a view, and waits for its board."""
        tab = f"nav button[data-view={name}]"
        self.browser.click(tab)
        self.browser.until("return document.querySelector(arguments[0]).ariaCurrent === 'page'", tab)
        self.browser.until(f"return {VIEW}?.querySelector('.told')?.textContent", told=f"the view {name}")
        self.settle()

    def settle(self):
        """Waits until the answer to the last request is shown."""
        self.browser.until(f"return {VIEW}.querySelector('.told').textContent && !{VIEW}.querySelector('.told.busy')", told="an answer")

    def words(self, selector):
        return self.browser.run(f"return {VIEW}.querySelector(arguments[0]).textContent", selector)

    def told(self):
        self.settle()
        return self.words(".told")

    def button(self, text):
        """Presses a button by its text."""
        script = f"""const wanted = [...{VIEW}.querySelectorAll('button')].find((one) => one.textContent === arguments[0]);
            for (let part = wanted; part; part = part.parentElement) if (part.tagName === 'DETAILS') part.open = true;
            wanted.click();"""
        self.browser.run(script, text)

    def choose(self, label, value):
        """Sets a control by its label."""
        script = f"""const labels = [...{VIEW}.querySelectorAll('label')];
            const input = labels.find((one) => one.textContent.trim().startsWith(arguments[0])).querySelector('input, select');
            if (input.type === 'checkbox') {{ if (input.checked !== arguments[1]) input.click(); return; }}
            input.value = arguments[1];
            input.dispatchEvent(new Event('change'));"""
        self.browser.run(script, label, value)

    def type(self, label, text):
        """Types a text into a field of several lines, in place of what is there."""
        script = f"""const input = {VIEW}.querySelector(`textarea[aria-label="${{arguments[0]}}"]`);
            input.value = arguments[1];
            input.dispatchEvent(new Event('input'));"""
        self.browser.run(script, label, text)

    def tells(self, part):
        """Waits until the answer has a part."""
        script = f"const told = {VIEW}.querySelector('.told'); return !told.classList.contains('busy') && told.textContent.includes(arguments[0])"
        self.browser.until(script, part, told=f"an answer with {part!r}")

    def tile(self, symbol):
        script = f"""const input = [...{VIEW}.querySelectorAll('.palette input')].find((one) => one.value === arguments[0]);
            input.click();"""
        self.browser.run(script, symbol)

    def rows(self):
        """The rows of the board as text."""
        self.settle()
        return self.browser.run(f"return {VIEW}.querySelector('[aria-label=\"The board as text\"]').value").split("\n")

    def place(self, row, column):
        """The middle of a cell in the window."""
        script = f"""const canvas = {VIEW}.querySelector('.stage canvas');
            canvas.scrollIntoView({{ block: 'center' }});
            const box = canvas.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];"""
        left, top, width, height = self.browser.run(script)
        rows = self.rows()
        return left + (column + 0.5) * width / len(rows[0]), top + (row + 0.5) * height / len(rows)

    def paint(self, row, column):
        self.browser.drag(self.place(row, column))
        self.settle()

    def facts(self, part):
        """Waits until the words on the cell at the cursor have a part."""
        return self.browser.until(f"const text = {VIEW}.querySelector('.facts').textContent; return text.includes(arguments[0]) && text", part, told=f"facts with {part!r}")

    def method(self, part):
        """Waits until the words on the heat map have a part."""
        paths = f"{VIEW}.querySelectorAll('.panel > .small')"
        return self.browser.until(f"return [...{paths}].some((one) => one.textContent.includes(arguments[0]))", part, told=f"a heat map with {part!r}", seconds=120)

    def pixels(self):
        """The picture of the board."""
        return self.browser.run(f"return {VIEW}.querySelector('.stage canvas').toDataURL()")

    def saved(self, text, name):
        """The file that a button saves."""
        file = pathlib.Path(self.browser.downloads) / name
        file.unlink(missing_ok=True)
        self.button(text)
        end = time.monotonic() + 30
        while not (file.exists() and file.stat().st_size):
            assert time.monotonic() < end, f"{name} was not saved"
            time.sleep(0.05)
        return file

    def read(self, file, label="Import a file"):
        """Reads a file by a control with a label."""
        script = f"""const input = {VIEW}.querySelector(`input[type=file][aria-label="${{arguments[0]}}"]`);
            input.closest('details')?.setAttribute('open', '');
            document.querySelector('#chosen-file')?.removeAttribute('id');
            input.id = 'chosen-file';"""
        self.browser.run(script, label)
        self.browser.type("#chosen-file", str(file))
        time.sleep(0.3)
        self.settle()


def levels(page):
    # The tour of the first visit comes once.
    for step in ["1 of 3", "2 of 3", "3 of 3"]:
        assert step in page.words(".tour")
        page.browser.run(f"{VIEW}.querySelector('.tour button.main').click()")
    assert page.browser.run("return !document.querySelector('.tour, .toured') && localStorage.getItem('figrs-studio-toured')")
    told = page.told()
    assert "Level 1 of seed 1: playable" in told, told
    rows = page.rows()
    assert len(rows) == 14 and all(len(row) == 60 for row in rows)
    # Click, paint, see.
    page.tile("o")
    before = page.pixels()
    page.paint(7, 12)
    assert page.rows()[7][12] == "o" and page.pixels() != before
    page.facts("Row 8, column 13: coin o, set by hand")
    page.browser.drag(page.place(7, 12), button=2)
    page.facts("Row 8, column 13")
    page.browser.until(f"return !{VIEW}.querySelector('.facts').textContent.includes('by hand')")
    page.button("Undo")
    assert page.rows()[7][12] == "o"
    page.button("Redo")
    page.button("Undo")
    assert page.rows()[7][12] == "o"
    # Further levels for the same demands.
    first = page.rows()
    page.button("Another")
    assert "Level 2 of seed 1" in page.told() and page.rows() != first and page.rows()[7][12] == "o"
    page.button("Ten more")
    page.browser.until(f"return {VIEW}.querySelectorAll('.gallery button').length === 10")
    page.browser.run(f"return {VIEW}.querySelectorAll('.gallery button')[4].click()")
    assert "Level 7 of seed 1" in page.told()
    page.choose("Seed", "9")
    assert "Level 1 of seed 9" in page.told()
    # A region is drawn anew, and the rest stays.
    before = page.rows()
    page.button("Region")
    page.browser.drag(page.place(0, 20), page.place(13, 29))
    page.button("Draw region anew")
    after = page.rows()
    assert all(row[:20] == was[:20] and row[30:] == was[30:] for row, was in zip(after, before))
    page.button("Draw region anew")
    page.button("Draw region anew")
    assert any(row[20:30] != was[20:30] for row, was in zip(page.rows(), before))
    page.button("Release region")
    page.button("Paint")
    # Demands that exclude each other are marked at their cells.
    page.button("Free all")
    page.tile("X")
    calm = page.pixels()
    page.choose("Paint only what", True)
    page.paint(2, 30)
    page.browser.until(f"return {VIEW}.querySelector('.told.wrong')")
    assert "in row 3" in page.told() and page.pixels() != calm
    assert page.told().endswith("use place instead of “Paint only what training levels have there” (`pin`)"), page.told()
    # A button offers a remedy.
    page.button("Put it there anyway")
    assert page.rows()[2][30] == "X" and not page.browser.run(f"return {VIEW}.querySelector('.told.wrong')")
    page.button("Free all")
    # Demands.
    page.choose("A player gets", False)
    page.choose("Widest gap", "0")
    page.told()
    assert all(tile != "-" for tile in page.rows()[13])
    page.choose("Widest gap", "")
    page.choose("A player gets", True)
    page.told()
    # Probabilities are estimated from drawn levels here; they are exact for levels of few rows. Previews show what a click would exclude.
    page.choose("Heat map", "chosen")
    page.method("levels drawn by particles")


def trained(page):
    """Training text that is edited in the page, exact probabilities, and previews."""
    page.choose("Train on", "edited")
    page.settle()
    page.type("Training level", "---\n--")
    page.tells("row 2 has 2 tiles")
    # All levels but one are unchanged, so the edited level must have their height.
    low = "\n".join(["-" * 10] * 10) + "\n" + LOW
    page.type("Training level", low)
    page.browser.until(f"return !{VIEW}.querySelector('.told.wrong')")
    assert len(page.rows()) == 14
    # The text that was typed last is kept if another level is selected immediately.
    typed = f"return {VIEW}.querySelector('[aria-label=\"Training level\"]').value"
    page.type("Training level", low.replace("o", "E"))
    look = f"""const label = [...{VIEW}.querySelectorAll('label')].find((one) => one.firstChild.textContent === 'Level');
        label.querySelector('select').value = arguments[0];
        label.querySelector('select').dispatchEvent(new Event('change'));"""
    page.browser.run(look, "1")
    assert page.browser.run(typed) != low
    page.browser.run(look, "0")
    assert page.browser.run(typed) == low.replace("o", "E")
    page.settle()
    page.choose("Train on", "folder:low")
    page.browser.until(f"return {VIEW}.querySelector('[aria-label=\"The board as text\"]').value.split('\\n').length === 4")
    page.choose("Columns", "12")
    page.choose("A player gets", False)
    page.method("Exact probabilities")
    page.tile("-")
    page.browser.hover(page.place(3, 5))
    page.facts("would exclude")
    page.tile("o")
    page.browser.hover(page.place(3, 5))
    page.facts("would leave no board at all")
    page.choose("Heat map", "open")
    page.choose("Train on", "")
    page.browser.until(f"return {VIEW}.querySelector('[aria-label=\"The board as text\"]').value.split('\\n').length === 14")
    page.choose("Columns", "40")
    page.told()


ENEMIES = """[[demand]]
count = "enemy"
number = 3
"""
CLASH = """[[demand]]
require = "E"
columns = "10..12"
[[demand]]
forbid = "enemy"
"""


def demanded(page):
    """Files of demands, movements, models and tile sheets."""
    language = "A file of demands, in TOML or JSON"
    enemies = lambda: sum(row.count("E") for row in page.rows())
    page.type(language, ENEMIES)
    page.browser.until(f"return {VIEW}.querySelector('[aria-label=\"The board as text\"]').value.split('E').length === 4", told="three enemies")
    assert enemies() == 3
    page.type(language, ENEMIES.replace("enemy", "enemies"))
    page.tells('line 1 (demand 1), count: "enemies" is no tile and no class')
    calm = page.pixels()
    page.type(language, CLASH)
    page.tells("proven")
    told = page.told()
    assert "in columns 11 to 12" in told and page.pixels() != calm, told
    page.button("Undo")
    page.button("Undo")
    assert enemies() == 3
    page.type(language, "")
    page.tells("playable")
    # A movement from a file, and one that does not suit the tiles.
    page.choose("A player moves by", "maze")
    page.tells("maze needs a tile of meaning start")
    page.choose("A player moves by", "own")
    page.tells("of seed")
    page.type("A movement, in TOML or JSON", "jump = 3")
    page.tells("movement:1:1: not a movement")
    page.choose("A player moves by", "")
    page.tells("of seed")
    page.choose("Checked again", True)
    page.tells("playable")
    page.choose("Checked again", False)
    # Other models take the same demands; of n-grams the probabilities are exact.
    page.choose("A player gets", False)
    page.choose("Model", "n-grams")
    page.tells("near the trained n-grams given the demands")
    page.method("Exact probabilities")
    page.choose("Model", "hierarchical")
    page.tells("hierarchical")
    page.choose("Styles", "first=0[1-3]*")
    page.tells("hierarchical")
    assert page.browser.run(f"return [...{VIEW}.querySelectorAll('label')].some((one) => one.textContent.startsWith('A style changes'))")
    page.choose("Model", "chain")
    page.choose("A player gets", True)
    page.tells("the trained chain")
    # Pictures from a tile sheet.
    tile = lambda: page.browser.run(f"return {VIEW}.querySelector('.palette canvas').toDataURL()")
    drawn = tile()
    sheet = pathlib.Path(page.browser.downloads) / "sheet.png"
    sheet.write_bytes(picture([[(19 * tile, 255 - 19 * tile, 128) for tile in range(13)]], 8))
    page.browser.run(f"[...{VIEW}.querySelectorAll('details')].find((one) => one.textContent.startsWith('Pictures')).open = true")
    page.read(sheet, "Open a tile sheet")
    page.tells("(tile_size)")
    assert tile() == drawn
    page.choose("Side of a tile", 8)
    page.read(sheet, "Open a tile sheet")
    page.browser.until(f"return [...{VIEW}.querySelectorAll('.small')].some((one) => one.textContent.includes('From sheet.png'))")
    page.tells("of seed")
    assert tile() != drawn
    page.button("The pictures of figrs")
    page.browser.until(f"return ![...{VIEW}.querySelectorAll('.small')].some((one) => one.textContent.includes('From sheet.png'))")
    page.settle()


def picture(rows, side):
    """A PNG of squares, each of one colour."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join((b"\0" + b"".join(bytes(colour) * side for colour in row)) * side for row in rows)
    header = struct.pack(">IIBBBBB", side * len(rows[0]), side * len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def repaired(page):
    """A level that was read is kept, and a region of it is drawn anew."""
    before = page.rows()
    file = page.saved("Text", "level.txt")
    page.button("Free all")
    page.read(file)
    assert page.rows() == before
    page.button("Another")
    assert page.rows() == before, "all of it is kept"
    page.button("Region")
    page.browser.drag(page.place(0, 12), page.place(13, 21))
    for _ in range(12):
        page.button("Draw region anew")
        after = page.rows()
        if after != before:
            break
    assert after != before, (page.told(), before)
    assert all(row[:12] == was[:12] and row[22:] == was[22:] for row, was in zip(after, before))
    page.button("Release region")
    page.button("Paint")
    assert page.rows() == after, "what was drawn is kept"
    page.browser.drag(page.place(0, 30), button=2)
    page.facts("Row 1, column 31")
    page.button("Free all")
    page.settle()


def quick(page):
    """Each change of a level of 14 by 60 within 200 ms, if the machine does nothing else."""
    page.choose("Columns", "60")
    page.told()
    watch = """window.answered = [];
        const before = fetch;
        window.fetch = async (...given) => {
            const started = performance.now();
            const response = await before(...given);
            const clone = await response.clone().json();
            if (Array.isArray(clone)) window.answered.push(performance.now() - started);
            return response;
        };"""
    page.browser.run(watch)
    page.tile("o")
    for column in range(10, 22):
        page.paint(5, column)
    page.button("Undo")
    page.settle()
    page.choose("Seed", "77")
    page.told()
    times = sorted(page.browser.run("return window.answered"))
    median, load = times[len(times) // 2], os.getloadavg()[0]
    print(f"answers to {len(times)} changes, 14 by 60 and playable: {times[0]:.0f} to {times[-1]:.0f} ms, median {median:.0f} ms, at a load of {load:.1f}")
    assert len(times) > 12
    assert median < 200 or load > 1.5, times
    page.button("Free all")
    page.choose("Seed", "1")
    page.settle()


def further(page):
    """Pictures of further levels, fast strokes, undo beside a switch, values of other programs."""
    pictured = f"return {VIEW}.querySelectorAll('.gallery button').length"
    page.button("Ten more")
    page.browser.until(f"{pictured} === 10")
    page.button("Another")
    page.settle()
    assert page.browser.run(pictured) == 10
    page.choose("Widest gap", "5")
    page.browser.until(f"{pictured} === 0", told="no pictures of other demands")
    page.choose("Widest gap", "")
    page.settle()
    # Two mouse events paint eight cells.
    page.tile("o")
    page.browser.drag(page.place(5, 10), page.place(5, 17))
    page.settle()
    assert page.rows()[5][10:18] == "o" * 8
    page.browser.run(f"{VIEW}.querySelector('input[type=checkbox]').focus()")
    page.browser.press("z", held=["Control"])
    page.settle()
    assert "set by hand" not in page.words(".facts")
    read = """const [name, text] = arguments;
        const tiles = { symbols: ["-", "X"], empty: "-" };
        return import("/files.js").then(({ rowsOf }) => rowsOf(new File([text], name), tiles)).then((rows) => rows.join(), (problem) => problem.message);"""
    map_of = lambda first: f'{{"tilesets": [{{"firstgid": {first}}}], "layers": [{{"width": 2, "data": [0, {first + 1}, {first}, 0]}}]}}'
    for name, text, told in [
        ("level.csv", "0,2\n1,0\n", "-X,--"), ("words.csv", "some,words\n", "whole numbers"), ("minus.csv", "-1,0\n", "whole numbers"),
        ("level.tmj", map_of(1), "-X,--"), ("other.tmj", map_of(7), "-X,--"), ("coded.tmj", '{"layers": [{"width": 2, "data": "AAAA"}]}', "CSV"),
    ]:
        assert told in (found := page.browser.run(read, name, text)), f"{name}: {found}"


def keyboard(page):
    """Everything without a mouse."""
    page.browser.run("document.activeElement?.blur(); scrollTo(0, 0)")
    for _ in range(80):
        page.browser.press("Tab")
        if page.browser.run("return document.activeElement.tagName === 'CANVAS'"):
            break
    assert page.browser.run("return document.activeElement.getAttribute('aria-label').length > 20")
    page.browser.press("Home")
    for _ in range(14):
        page.browser.press("Up")
    page.browser.press(*["Down"] * 7, *["Right"] * 12, "o", "Enter")
    page.settle()
    page.facts("Row 8, column 13: coin o, set by hand")
    assert page.rows()[7][12] == "o"
    page.browser.press("Delete")
    page.browser.until(f"return !{VIEW}.querySelector('.facts').textContent.includes('by hand')")
    page.browser.press("z", held=["Control"])
    page.facts("coin o, set by hand")
    page.browser.press("y", held=["Control"])
    page.settle()
    before = page.rows()
    page.browser.press("Home")
    for _ in range(14):
        page.browser.press("Up")
    page.browser.press(*["Right"] * 9, *["Down"] * 13, held=["Shift"])
    script = "return document.activeElement.textContent"
    for _ in range(60):
        page.browser.press("Tab", held=["Shift"])
        if page.browser.run(script) == "Draw region anew":
            break
    page.browser.press("Enter")
    page.settle()
    after = page.rows()
    assert all(row[10:] == was[10:] for row, was in zip(after, before)), "the rest stays"
    page.button("Release region")
    page.settle()


def round_trips(page, files, free=""):
    """Files that are saved and read back give the same board."""
    rows = page.rows()
    for text, name in files:
        file = page.saved(text, name)
        page.button("Free all")
        page.settle()
        page.read(file)
        page.browser.until("return arguments[0] === " + f"{VIEW}.querySelector('[aria-label=\"The board as text\"]').value", "\n".join(rows), told=f"{name} read back")


def boards(page):
    for view, symbol, cell in [("maze", "<", (3, 4)), ("chromatic", "R", (1, 1)), ("dungeon", "W", (2, 2)), ("island", "#", (3, 3)), ("yin_yang", "1", (2, 2))]:
        page.view(view)
        assert "seed 1" in page.told(), page.told()
        page.tile(symbol)
        page.paint(*cell)
        page.facts("set by hand")
        page.choose("Heat map", "chosen")
        page.method("drawn boards" if view == "maze" else "Exact probabilities")
        before = page.rows()
        page.button("Another")
        assert "seed 2" in page.told()
        page.button("Ten more")
        page.browser.until(f"return {VIEW}.querySelectorAll('.gallery button').length === 10", seconds=120)
        if view != "chromatic":
            name = view
            round_trips(page, [("Text", f"{name}.txt"), ("JSON", f"{name}.json"), ("PNG", f"{name}.png"), ("Tiled map", f"{name}.tmx"), ("LDtk", f"{name}.csv")])
        page.button("Free all")
        page.settle()
        assert len(before) == len(page.rows())
    # The puzzle editor: verdicts while one types.
    assert "solutions" in page.told()
    page.button("Make a puzzle")
    page.browser.until(f"return {VIEW}.querySelector('.told.good')?.textContent.includes('unique')")
    page.choose("Show the clues alone", True)
    page.choose("Show the clues alone", False)
    page.button("Free all")
    page.settle()
    page.browser.run(f"return {VIEW}.querySelector('.stage canvas').focus()")
    page.browser.press("Home", *["Up"] * 6, "1", "Enter", "Right", "Enter", "Down", "Enter", "Left", "Enter")
    page.browser.until(f"return {VIEW}.querySelector('.told.wrong')", told="four black cells exclude each other")
    assert "impossible" in page.told() and "row 2, column 2" in page.told()
    page.button("Free all")
    page.settle()
    # A drawing that takes long is announced, an empty board of the new size is shown, and after a while the board drawn so far is shown.
    page.choose("Columns", "24")
    page.settle()
    page.choose("Rows", "24")
    page.browser.until(f"return {VIEW}.querySelector('.told').textContent === 'Drawing' && {VIEW}.querySelector('.stage.stale')", told="a dimmed board")
    page.browser.until(f"return {VIEW}.querySelector('.told').title.includes('method chain')", told="how it was drawn")
    assert len(page.rows()) == 24 and not page.browser.run(f"return {VIEW}.querySelector('.stage.stale')")
    assert page.browser.run(f"return {VIEW}.querySelector('.told').getBoundingClientRect().bottom <= innerHeight")
    # An invalid number changes nothing, and its field shows a message.
    for wrong in ["0", "2.5", "-1", "18446744073709551615"]:
        page.choose("Columns", wrong)
        said = page.browser.run(f"return [...{VIEW}.querySelectorAll('input')].map((one) => one.validationMessage).join('')")
        assert said == "Write a whole number from 1 to 100.", said
    page.choose("Columns", "6")
    page.choose("Rows", "6")
    page.settle()


def network(page, file):
    page.view("network")
    state = "button[aria-label^='rain yes']"
    assert "5 nodes. JunctionTree, exact" in page.told()
    prior = page.words(f"{state} .p")
    page.browser.run(f"return {VIEW}.querySelector(\"button[aria-label^='shoes muddy']\").click()")
    page.settle()
    assert page.words(f"{state} .p") != prior and "shoes = muddy" in page.words("[aria-label=Evidence]")
    page.button("Undo")
    page.settle()
    assert page.words(f"{state} .p") == prior
    page.read(file, "Open a network file")
    assert "2 nodes" in page.told()
    cat = "button[aria-label^='cat yes']"
    assert page.words(f"{cat} .p") == "25 %"
    page.browser.run(f"return {VIEW}.querySelector(arguments[0]).focus()", cat)
    page.facts("would make 1 state of other nodes impossible")
    page.browser.press("Enter")
    page.browser.until(f"return {VIEW}.querySelector(\"button[aria-label^='mouse yes']\").classList.contains('never')")
    page.browser.run(f"return {VIEW}.querySelector(\"button[aria-label^='mouse yes']\").click()")
    page.browser.until(f"return {VIEW}.querySelectorAll('.node.clash').length === 2")
    # The chosen states are marked, and the bars of the previous evidence are removed.
    chosen = page.browser.run(f"return [...{VIEW}.querySelectorAll('.node button[aria-pressed=true]')].map((one) => one.ariaLabel)")
    assert chosen == ["cat yes, observed", "mouse yes, observed"], chosen
    assert page.browser.run(f"return [...{VIEW}.querySelectorAll('.node .bar')].every((one) => one.style.width === '0px')")
    page.button("Clear evidence")
    page.settle()
    assert page.words(f"{cat} .p") == "25 %"
    page.choose("Of the folder", "pets.bif")
    assert "pets.bif: 2 nodes" in page.told()
    page.choose("Of the folder", "")
    assert "5 nodes" in page.told()


def looks(page, pictures):
    """Narrow windows, light and dark, names for all controls."""
    browser = page.browser
    views = ["level", "maze", "chromatic", "dungeon", "island", "yin_yang", "network"]
    browser.devtools("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
    for view in views:
        page.view(view)
        width = browser.run("return document.documentElement.scrollWidth")
        assert width <= 360, f"{view} is {width} pixels wide"
    browser.devtools("Emulation.clearDeviceMetricsOverride")
    contrast = """const channels = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number)
            .map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        const light = (colour) => { const [r, g, b] = channels(colour); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ground = (one) => { const own = getComputedStyle(one).backgroundColor; return /, 0\\)$/.test(own) && one.parentElement ? ground(one.parentElement) : own; };
        return [...document.querySelectorAll('h1, h2, label, p, button, summary')].filter((one) => one.offsetParent && one.textContent.trim() && !one.disabled).map((one) => {
            const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
            return [(a + 0.05) / (b + 0.05), one.textContent.slice(0, 40)];
        }).filter(([ratio]) => ratio < 4.5);"""
    unnamed = """return [...document.querySelectorAll('button, input, select, textarea, canvas[tabindex]')].filter((one) => one.offsetParent).filter((one) =>
        !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim())).map((one) => one.outerHTML.slice(0, 80));"""
    grounds = set()
    for scheme in ["light", "dark"]:
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for view in views:
            page.view(view)
            assert not (faint := browser.run(contrast)), f"{view}, {scheme}: {faint}"
            assert not (silent := browser.run(unnamed)), f"{view}: {silent}"
        grounds.add(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2, grounds
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])


def shoot(page, folder):
    """The two pictures of README."""
    browser = page.browser
    folder.mkdir(parents=True, exist_ok=True)
    browser.open(page.address)
    browser.devtools("Emulation.setDeviceMetricsOverride", width=1280, height=660, deviceScaleFactor=1, mobile=False)
    for scheme, view, name in [("light", "level", "studio-level.png"), ("dark", "yin_yang", "studio-yin-yang.png")]:
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.view(view)
        if view == "level":
            page.choose("Seed", "12")
            page.told()
            page.tile("o")
            for row, column in [(5, 20), (5, 21), (5, 22)]:
                page.paint(row, column)
            page.choose("Heat map", "chosen")
            page.method("240 levels")
        else:
            page.button("Make a puzzle")
            page.browser.until(f"return {VIEW}.querySelector('.told.good')")
            page.choose("Heat map", "off")
        browser.run("scrollTo(0, 0)")
        time.sleep(2)
        (folder / name).write_bytes(base64.b64decode(browser.screenshot()))
    browser.devtools("Emulation.clearDeviceMetricsOverride")


def studio_program(given):
    if given:
        return pathlib.Path(given)
    built = [ROOT / "target" / profile / "examples" / "studio" for profile in ("release", "debug")]
    built = [program for program in built if program.exists()]
    if not built:
        sys.exit("studio is not built; run `cargo build --release --example studio`")
    return max(built, key=lambda program: program.stat().st_mtime)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studio", metavar="PROGRAM", help="the program to test; the one built last if not given")
    parser.add_argument("--address", help="the address of a studio that runs, in place of one that is started")
    parser.add_argument("--pictures", metavar="FOLDER", type=pathlib.Path, help="write the pictures of README to this folder")
    parser.add_argument("--only", metavar="PART", help="test this part alone")
    options = parser.parse_args()
    driver, browser = webdriver.programs()
    if not (driver and browser):
        missing = "chromedriver" if not driver else "chromium, chromium-browser, google-chrome or chrome"
        print(f"skipped: no {missing} is on the path")
        return
    with tempfile.TemporaryDirectory() as folder, webdriver.Browser(driver, browser) as session:
        folder = pathlib.Path(folder)
        (folder / "low").mkdir()
        (folder / "low" / "low.txt").write_text(LOW)
        (folder / "pets.bif").write_text(NETWORK)
        address, studio = options.address, None
        if not address:
            command = [studio_program(options.studio), "--port", "0", "--folder", folder]
            studio = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            address = studio.stdout.readline().strip()
        try:
            test(Page(session, address), folder, options)
        finally:
            if studio:
                studio.terminate()
                studio.wait()


def test(page, folder, options):
    page.browser.open(page.address)
    page.view("level")
    level_files = [("Text", "level.txt"), ("JSON", "level.json"), ("PNG", "level.png"), ("Tiled map", "level.tmx"), ("Tiled JSON", "level.tmj"), ("LDtk", "level.csv")]
    parts = [
        ("levels", lambda: levels(page)), ("demanded", lambda: demanded(page)), ("repaired", lambda: repaired(page)), ("quick", lambda: quick(page)),
        ("further", lambda: further(page)), ("trained", lambda: trained(page)), ("keyboard", lambda: keyboard(page)),
        ("files", lambda: round_trips(page, level_files)), ("boards", lambda: boards(page)),
        ("network", lambda: network(page, folder / "pets.bif")), ("looks", lambda: looks(page, options.pictures)),
    ]
    for name, part in parts:
        if options.only and name != options.only:
            continue
        started = time.monotonic()
        part()
        logged = page.browser.logged()
        assert not logged, f"{name}: the console says {logged}"
        print(f"{name}: {time.monotonic() - started:.1f} s")
    outside = page.browser.run("return performance.getEntriesByType('resource').map((one) => one.name).filter((name) => !name.startsWith(location.origin))")
    assert all(re.match("(data|blob):", name) for name in outside), outside
    if options.pictures:
        shoot(page, options.pictures)


if __name__ == "__main__":
    main()
