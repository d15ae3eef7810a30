"""The guide as HTML, a file a page: ``python packaging/guide.py FOLDER``. Qt itself reads the Markdown."""

import sys
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QTextDocument

GUIDE = Path(__file__).parents[1] / "resources" / "guide"


def main(folder: Path) -> None:
    """Write every page, its links leading to the others."""
    _application = QGuiApplication(["guide", "-platform", "offscreen"])
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(GUIDE.glob("*.md")):
        document = QTextDocument()
        document.setMarkdown(page.read_text(encoding="utf-8").replace(".md)", ".html)"))
        document.setMetaInformation(QTextDocument.MetaInformation.DocumentTitle, page.stem)
        (folder / f"{page.stem}.html").write_text(document.toHtml(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
