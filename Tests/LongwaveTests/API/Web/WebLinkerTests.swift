import Testing

@testable import LongwaveAPI

struct WebLinkerTests {
  private static func script(_ source: String) throws(WebFault) -> String {
    String(decoding: try WebSource.script(Array(source.utf8)), as: UTF8.self)
  }

  private static func style(_ source: String) throws(WebFault) -> String {
    String(decoding: try WebSource.style(Array(source.utf8)), as: UTF8.self)
  }

  @Test(arguments: [
    ("a;\n// b\nc;\n", "a;\nc;\n"), ("a(); // b\n", "a();\n"), ("  /** x */\na\n", "a\n"),
    ("/* a\n b */\nc\n", "c\n"), ("a /* b\n */ c", "a\nc\n"), ("return/* b */c", "return c\n"),
    ("x = /** @type {T} */ (y);\n", "x=(y);\n"), ("/*/\na\n*/\nb", "b\n"), ("", ""), ("// a", ""),
    ("if (a) {\n  b(c, d);\n\n}\n", "if(a){\nb(c,d);\n}\n"),
    // Blanks that say something.
    ("return a in b", "return a in b\n"), ("a + +b - -c - --d", "a+ +b- -c- --d\n"),
    ("1 .toFixed()", "1 .toFixed()\n"), ("/a/g in b", "/a/g in b\n"), ("a / /b/", "a/ /b/\n"),
    ("let #a\nlet b", "let #a\nlet b\n"), ("const ä = 1", "const ä=1\n"),
    // Texts stay as they are.
    ("\"// a  b\"", "\"// a  b\"\n"), ("'/* \\' */'", "'/* \\' */'\n"),
    ("`a  // ${b + `c  ${d}`}  e`", "`a  // ${b+`c  ${d}`}  e`\n"),
    ("`${{ a: { b } }}  }`", "`${{a:{b}}}  }`\n"), ("`\n  a\\`  `", "`\n  a\\`  `\n"),
    // A division, or the beginning of a regular expression.
    ("a = b / c / d; // e", "a=b/c/d;\n"), ("(a) / b /c", "(a)/b/c\n"),
    ("a[0] / 2 / c", "a[0]/2/c\n"),
    ("a(/[/]  \\/ '/g, b)", "a(/[/]  \\/ '/g,b)\n"),
    ("return /\"  /.test(a)", "return/\"  /.test(a)\n"),
    ("}\n/a  /.test(b)", "}\n/a  /.test(b)\n"), ("/a/ in b", "/a/ in b\n"),
  ])
  func `a script is sent without comments and without blanks that say nothing`(
    source: String, sent: String
  ) throws {
    #expect(try Self.script(source) == sent)
  }

  @Test(arguments: [
    ("a { b: url(//c) }\n\n\nd { e: f; }\n", "a{b:url(//c)}\nd{e:f;}\n"),
    (
      "/* a */\n.b, .c > d :hover {\n  e: calc(1px + 2px);\n  f: g,\n    h;\n}\n",
      ".b,.c > d :hover{e:calc(1px + 2px);f:g,h;}\n"
    ),
    ("a::before { content: \"  { /* \"; }", "a::before{content:\"  { /* \";}\n"),
    (
      "@media (a: b) and (c) {\n  d { e: \"f\" 1fr\n    \"g\"; }\n}",
      "@media (a:b) and (c){d{e:\"f\" 1fr \"g\";}\n}\n"
    ),
    ("a { --b: ; }", "a{--b:;}\n"), ("", ""),
  ])
  func `a style is sent without comments and without blanks that say nothing`(
    source: String, sent: String
  ) throws {
    #expect(try Self.style(source) == sent)
  }

  @Test(arguments: [
    ("a\n/* never", 2, "a comment"), ("'never\n'", 1, "a text"), ("`never", 1, "a template"),
    ("`never ${a", 1, "a template"), ("a = /never\n/", 1, "a regular expression"),
  ])
  func `what never ends is refused`(source: String, line: Int, what: String) {
    #expect(throws: WebFault(line: line, what: what + " never ends")) { try Self.script(source) }
  }

  @Test(arguments: ["if (a) /\"/.test(b)", "a++ / 2; // \"", "({}) /b/ 1", "a = {} / 2", "a = /"])
  func `a slash that may be two things is refused`(source: String) {
    let what = "a slash that may divide or begin a regular expression"
    #expect(throws: WebFault(line: 1, what: what)) { try Self.script(source) }
  }

  /// Links modules in a layer of `l.js`, and one of `m.js` where that is there.
  private static func link(_ sources: [String: String]) throws(WebFault) -> [String: String] {
    let layers = ["l", "m"].filter { sources["\($0).js"] != nil }
      .map { WebLayer(name: "\($0).layer.js", root: "\($0).js") }
    return try WebLinker.link(sources.mapValues { Array($0.utf8) }, layers)
      .mapValues { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `modules of a layer are functions of one file, each behind what it imports`() throws {
    let linked = try Self.link([
      "l.js": "import { two, b as c } from \"./l2.js\";\nimport \"./i18n/en.js\";\n",
      "l2.js": """
      import words from "./i18n/en.js";
      export const two = () => words.a;
      const own = import.meta.url;
      export async function b() {}
      export class D {}
      """,
      "i18n/en.js": "export default {\n  a: \"b\",\n};\nconst c = () => import(\"./de.js\");\n",
      "i18n/de.js": "",
    ])
    #expect(
      linked["l.layer.js"] == """
        const $=run=>{let its;return()=>its??=run()};
        export const $i18n_en=$(()=>{
        const $default={
        a:"b",
        };
        const c=()=>import("./i18n/de.js");
        return{default:$default};
        });
        export const $l2=$(()=>{
        const{default:words}=$i18n_en();
        const two=()=>words.a;
        const own=new URL("./l2.js",import.meta.url).href;
        async function b(){}
        class D{}
        return{two,b,D};
        });
        export const $l=$(()=>{
        const{two,b:c}=$l2();
        $i18n_en();
        return{};
        });

        """)
  }

  @Test func `a browser has one of each module of a layer, however it is asked for`() throws {
    let linked = try Self.link([
      "l.js": "export const a = 1;\n",
      "m.js": "import { a } from \"./l.js\";\nexport default { a };\n",
      "x.js": """
      import { a as b } from "./l.js";
      import * as m from "./m.js";
      import { y } from "./y.js";
      const later = await import("./l.js"), other = import("./y.js"), path = import(b);
      export let z = import.meta.url;
      """,
      "in/side.js":
        "import {\n  a,\n} from \"../l.js\";\nexport const load = () => import(\"../m.js\");",
      "y.js": "export let y = 1;",
    ])
    #expect(
      linked["m.layer.js"] == """
        import{$l}from"./l.layer.js";
        const $=run=>{let its;return()=>its??=run()};
        export const $m=$(()=>{
        const{a}=$l();
        const $default={a};
        return{default:$default};
        });

        """)
    #expect(
      linked["x.js"] == """
        import{$l}from"./l.layer.js";
        import{$m}from"./m.layer.js";
        const{a:b}=$l();
        const m=$m();
        import{y}from"./y.js";
        const later=await import("./l.layer.js").then(({$l})=>$l()),other=import("./y.js"),path=import(b);
        export let z=import.meta.url;

        """)
    #expect(
      linked["in/side.js"] == """
        import{$l}from"../l.layer.js";
        const{a}=$l();
        export const load=()=>import("../m.layer.js").then(({$m})=>$m());

        """)
    // For a page that begins with it, for an address that is made of parts, and for pages of before.
    #expect(linked["l.js"] == "import{$l}from\"./l.layer.js\";\nexport const{a}=$l();\n")
    #expect(
      linked["m.js"] == """
        import{$m}from"./m.layer.js";
        $m();
        export default $m().default;

        """)
  }

  @Test func `what comes with a layer follows from what modules import`() throws {
    let sources = [
      "a.js": """
      import "./b.js";
      import "./c.js";
      import "./e.js";
      import("./later.js");
      """,
      "b.js": "import \"./d.js\";", "c.js": "", "d.js": "", "e.js": "",
      "later.js": "import \"./e.js\";",
      "x.js": "import \"./y.js\";\nimport \"./b.js\";", "y.js": "",
    ]
    let layers = [
      WebLayer(name: "1.layer.js", root: "a.js", others: ["x.js", "later.js"]),
      WebLayer(name: "2.layer.js", root: "a.js"),
    ]
    let linked = try WebLinker.link(sources.mapValues { Array($0.utf8) }, layers)
    func members(_ layer: String) -> [String] {
      String(decoding: linked[layer]?.body ?? [], as: UTF8.self)
        .matches(of: /const \$(\w+)=\$\(/).map { String($0.1) }
    }
    #expect(members("1.layer.js") == ["d", "b", "e"])
    #expect(members("2.layer.js") == ["c", "a"])
    // What a page loads at once is known.
    #expect(linked["x.js"]?.imports == ["1.layer.js", "y.js"])
    #expect(linked["2.layer.js"]?.imports == ["1.layer.js"])
    #expect(linked["1.layer.js"]?.imports == [] && linked["a.js"]?.imports == ["2.layer.js"])
  }

  @Test(arguments: [
    // Constants are copied, so what changes cannot be one.
    ("let b = 1;\nexport let a = b;", "2: l.js: exports in a way that only a file of its own can"),
    ("export { a };", "1: l.js: exports in a way that only a file of its own can"),
    ("export * from \"./k.js\";", "1: l.js: exports in a way that only a file of its own can"),
    ("export default class {}", "1: l.js: exports in a way that only a file of its own can"),
    ("export function* a() {}", "1: l.js: exports in a way that only a file of its own can"),
    ("export const { a } = {};", "1: l.js: exports in a way that only a file of its own can"),
    ("export const a = [1, 2], b = 2;", "1: l.js: exports two constants in one statement"),
    ("const a = 1;\nawait a;", "2: l.js: waits before it has begun"),
    ("const a = import.meta;", "1: l.js: asks what a file of its own is"),
    ("const a = 1; export", "1: l.js: exports in a way that only a file of its own can"),
    ("const a = 1, export", "1: l.js: exports in a way that is not known"),
    ("const a = 1, import", "1: l.js: imports in a way that is not known"),
    ("const $k = 1;", "1: l.js: names something $k, as layers do"),
    (
      "const a = 1;\nimport { k } from \"./k.js\";", "2: l.js: imports behind its first statement"
    ),
    ("import a, { k } from \"./k.js\";", "1: l.js: imports in a way that is not known"),
    ("import { k } from \"k\";", "1: l.js: imports \"k\", which is no path"),
    ("import { k } from \"./j.js\";", "0: l.js: imports j.js, which is not there"),
    ("import(\"./j.js\");", "1: l.js: imports j.js, which is not there"),
    ("\nconst a = \"b;", "2: l.js: a text never ends"),
    ("\nimport { j } from \"./k.js\";", "2: l.js: k.js does not export j"),
    ("import { a } from \"./l.js\";", "0: l.js: imports itself"),
    (
      "import { a } from \"./in/k.js\";",
      "1: in/k.js: imports from a folder what is not known before"
    ),
  ])
  func `what cannot be a part of a layer is refused`(source: String, words: String) {
    let fault = #expect(throws: WebFault.self) {
      try Self.link([
        "l.js": source, "k.js": "export const k = 1;",
        "in/k.js": "export const a = (b) => import(b);",
      ])
    }
    #expect(fault?.description == "line " + words)
  }

  @Test func `a module of its own may do what a layer's may not`() throws {
    let source = "export let a=1;\nexport{b};\nawait a;\n"
    #expect(try Self.link(["l.js": "", "x.js": source])["x.js"] == source)
  }

  @Test func `the list loads nothing that only the player needs`() throws {
    for name in ["base.layer.js", "pages.layer.js"] {
      let layer = String(decoding: try #require(WebAssets.shared[name]).body, as: UTF8.self)
      for other in ["$choice", "$engine", "$listen"] { #expect(!layer.contains(other)) }
    }
    #expect(
      WebAssets.shared.modules(of: "stations.js") == [
        "base.layer.js", "list.layer.js", "pages.layer.js",
      ])
  }
}
