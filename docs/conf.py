"""What Sphinx is to know of the site; tools/docs.sh builds it."""
import re

project = "Sonde"
html_title = "Sonde"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
html_theme = "alabaster"
html_theme_options = {"page_width": "76em", "sidebar_width": "16em", "body_max_width": "none"}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_copy_source = False


def plain(app, what, name, obj, options, lines):
    """Docstrings are read in terminals: what is indented stays as it stands, and the name lambda_
    is no link."""
    text = re.sub(r"(?<=[a-z])_(?!\w)", r"\\_", "\n".join(lines))
    indented = re.compile(r"(?m)^(?! )(.*\S)\n\n(?=    \S)")
    lines[:] = indented.sub(r"\1\n\n::\n\n", text).split("\n")


def setup(app):
    app.connect("autodoc-process-docstring", plain, priority=400)
