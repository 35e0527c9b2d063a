#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens report.html in a browser, offline, uses it, and takes pictures.

    shot_report.py PAGE [--use] [--few] [--pictures FOLDER]      --few: without the last two looks, and used in the first one alone

The exit status is 1 if the page breaks its policy, says an error, asks for anything beside itself, moves while it is drawn, is wider
than its window, has a table that is wider than its place at 1,000 pixels and more, or, with --use, if a table does not sort, the search does not find, or the map does not zoom. Needs
build/venv-viewers and Debian's chromium-headless-shell or chromium.
"""

import argparse
import os
import sys
import time

LOOKS = ((1280, "light"), (800, "dark"), (1000, "light"), (1280, "dark"), (800, "light"))
LEAST_OF_TABLES = 1000  # pixels: from there on no table is wider than its place
BROWSERS = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
WATCH = """() => {
  window.violations = [];
  window.shift = 0;
  document.addEventListener('securitypolicyviolation', (e) => violations.push(`${e.violatedDirective} ${e.blockedURI}`));
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value; })
      .observe({type: 'layout-shift', buffered: true});
}"""
COLUMN = """([section, column]) => Array.from(document.querySelectorAll(`#${section} tbody tr`),
    (row) => row.cells[column].dataset.v === undefined ? row.cells[column].textContent : Number(row.cells[column].dataset.v))"""
TABLES = """() => Array.from(document.querySelectorAll('.scroll')).filter((e) => e.scrollWidth > e.clientWidth)
    .map((e) => `${e.getAttribute('aria-label')} by ${e.scrollWidth - e.clientWidth}`)"""
SHOWN = "() => Array.from(document.querySelectorAll('table.data tbody tr, .card')).filter((e) => e.offsetParent !== null).length"


class Page:
    def __init__(self, browser, path, width, scheme):
        self.problems, self.asked, self.width = [], [], width
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on(
            "console",
            lambda said: said.type in ("error", "warning") and self.problems.append(f"console: {said.text}"),
        )
        self.page.on("dialog", lambda dialog: (self.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.add_init_script(f"({WATCH})()")
        self.address = "file://" + os.path.abspath(path)
        begin = time.monotonic()
        self.page.goto(self.address)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.seconds = time.monotonic() - begin

    def check(self, condition, what):
        if not condition:
            self.problems.append(what)

    def stands(self):
        self.problems += [f"policy: {text}" for text in self.page.evaluate("violations")]
        others = [url for url in self.asked if url.split("#")[0] != self.address]
        self.check(not others, f"it asked for {others}")
        shift = self.page.evaluate("shift")
        self.check(shift < 0.01, f"it moved by {shift}")
        tables = self.page.evaluate(TABLES) if self.width >= LEAST_OF_TABLES else []
        self.check(not tables, f"tables are wider than their places: {tables}")
        wider = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        self.check(wider <= 0, f"it is {wider} pixels wider than its window")

    def use(self):
        self.sort()
        self.search()
        self.zoom()
        self.copy()

    def sort(self):
        heads = self.page.locator("#kernels thead th button")
        heads.nth(3).click()
        down = self.page.evaluate(COLUMN, ["kernels", 3])
        self.check(len(down) > 1 and down == sorted(down, reverse=True), f"by number: {down[:5]}")
        self.check(self.page.locator("#kernels th").nth(3).get_attribute("aria-sort") == "descending", "aria-sort is missing")
        heads.nth(3).focus()
        self.page.keyboard.press("Enter")
        up = self.page.evaluate(COLUMN, ["kernels", 3])
        self.check(up == sorted(up), f"by number, up: {up[:5]}")
        self.page.locator("#ranks thead th button").first.click()
        names = self.page.evaluate(COLUMN, ["ranks", 0])
        self.check(names == sorted(names, key=lambda name: int("".join(filter(str.isdigit, name[:12])))), f"by name: {names[:5]}")

    def search(self):
        before = self.page.evaluate(SHOWN)
        self.page.keyboard.press("/")
        self.page.keyboard.type("allreduce")
        self.page.wait_for_timeout(300)
        found = self.page.evaluate(SHOWN)
        self.check(0 < found < before, f"search: {before} rows, then {found}")
        self.check(self.page.locator("#found").inner_text() == f"{found} found", "the search does not tell how many")
        self.page.keyboard.press("Escape")
        self.check(self.page.evaluate(SHOWN) == before, "Escape does not end the search")

    def zoom(self):
        map = self.page.locator("#map")
        map.scroll_into_view_if_needed()
        box = map.bounding_box()
        columns = lambda: map.get_attribute("data-columns")
        whole = columns()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.check("step" in self.page.locator("#map-tip").inner_text(), "nothing is said of what the pointer is on")
        top = self.page.evaluate("scrollY")
        self.page.mouse.wheel(0, -100)
        self.page.wait_for_timeout(100)
        self.check(columns() == whole, "the wheel zooms before the map was clicked")
        self.page.evaluate("(top) => scrollTo(0, top)", top)
        map.click()
        self.page.mouse.move(x, y)
        self.page.mouse.wheel(0, -300)
        self.page.wait_for_timeout(100)
        zoomed = columns()
        self.check(zoomed != whole, "the wheel does not zoom")
        self.page.keyboard.press("Escape")
        self.check(columns() == whole, "Escape does not show all")
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 200, y + 5, steps=4)
        self.page.mouse.up()
        self.check(columns() not in (whole, zoomed), "dragging does not zoom")
        self.page.locator("#map-all").click()
        map.focus()
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("ArrowRight")
        self.check("step" in self.page.locator("#map-tip").inner_text(), "the arrow keys tell nothing")
        self.page.keyboard.press("+")
        self.check(columns() != whole, "+ does not zoom")
        self.page.keyboard.press("Escape")

    def copy(self):
        command = self.page.locator(".command code").first.text_content()
        self.page.locator(".copy").first.click()
        self.page.wait_for_timeout(200)
        self.check(self.page.locator(".copy").first.inner_text() == "Copied", "the button does not say that it copied")
        copied = self.page.evaluate("navigator.clipboard.readText()")
        self.check(copied == command, f"copied: {copied!r}")


def visit(browser, options, width, scheme):
    one = Page(browser, options.page, width, scheme)
    if options.pictures:
        folder = os.path.join(options.pictures, f"{scheme}-{width}")
        one.page.screenshot(path=folder + ".png")
        one.page.screenshot(path=folder + "-all.png", full_page=True)
    if options.use and not (options.few and (width, scheme) != LOOKS[0]):
        one.use()
    one.stands()
    for problem in one.problems:
        print(f"{scheme}, {width} pixels: {problem}")
    print(f"{scheme}, {width} pixels: opened in {one.seconds:.2f} s")
    return len(one.problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("--use", action="store_true")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    path = next((path for path in BROWSERS if os.path.exists(path)), None)
    if path is None:
        sys.exit("shot_report: no browser: install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        problems = sum(visit(browser, options, *look) for look in LOOKS[: 3 if options.few else None])
        browser.close()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
