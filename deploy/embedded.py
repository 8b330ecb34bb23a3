"""The C of files that stand in the program itself, for deploy/check-web and deploy/check-manual."""


def table(maker, why, library, item, files):
    """A table of files, each by its name; their paths are seen from the table's own folder."""
    lines = [
        f"// Made by {maker} --write.",
        f"// {why}",
        '#pragma clang diagnostic ignored "-Wc23-extensions"',
        f'#include "{library}.h"',
        "",
    ]
    for number, path in enumerate(files.values()):
        lines += [f"static const unsigned char {item}{number}[] = {{", f'#embed "{path}"', "};"]
    lines += ["", f"static const {library}_{item} table[] = {{"]
    lines += [f'  {{"{name}", {item}{number}, sizeof {item}{number}}},' for number, name in enumerate(files)]
    lines += [
        "};",
        "",
        f"const {library}_{item} *{library}_{item}_at(size_t number) {{",
        "  return number < sizeof table / sizeof *table ? &table[number] : 0;",
        "}",
        "",
    ]
    return "\n".join(lines)
