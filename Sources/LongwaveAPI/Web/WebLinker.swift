/// Modules that browsers load as one file, since those of one page are needed together.
struct WebLayer {
  /// Its name among the assets.
  let name: String
  /// What it is for. What these import is in it too, as far as no layer before has it.
  let roots: [String]

  /// All of the program, each knowing those before it.
  static let all = [
    // What all pages share, the dashboard's too.
    WebLayer(name: "base.layer.js", roots: ["tools.js"]),
    // What the pages for listeners share, which take turns in one document.
    WebLayer(
      name: "pages.layer.js",
      roots: [
        "colour.js", "offline.js", "qualities.js", "session.js", "styles.js", "visit.js",
      ]),
    // What plays a station.
    WebLayer(
      name: "player.layer.js",
      roots: ["actions.js", "app.js", "controls.js", "keys.js", "scrubber.js"]),
    // What the player's page shows once it can play.
    WebLayer(name: "after.layer.js", roots: ["art.js", "history.js", "waveform.js"]),
  ]
}

/// Makes layers of modules. In its layer each stands in the scope of a function, which returns what it exports: names
/// stay its own, and a browser has one of each however it is asked for.
///
/// What is exported by a module of a layer never changes: it is copied to those that import it.
struct WebLinker {
  /// A script as it is sent.
  struct Script {
    let body: [UInt8]
    /// Names of the scripts that it imports at once.
    let imports: [String]
  }

  private let layers: [WebLayer]
  private var modules: [String: WebModule] = [:]
  /// The number of each module's layer, where it has one.
  private var numbers: [String: Int] = [:]
  /// The modules of each layer, each behind those that it imports.
  private var members: [[String]] = []
  /// What leads to the module that is being sorted.
  private var way: [String] = []

  /// Returns all scripts as they are sent, and the layers.
  static func link(_ sources: [String: [UInt8]], _ layers: [WebLayer]) throws(WebFault)
    -> [String: Script]
  {
    var linker = WebLinker(layers: layers)
    for (name, source) in sources { linker.modules[name] = try WebModule(name, source) }
    for (number, layer) in layers.enumerated() {
      linker.members.append([])
      for root in layer.roots { try linker.sort(root, into: number, from: layer.name) }
    }
    var scripts: [String: Script] = [:]
    for (number, layer) in layers.enumerated() { scripts[layer.name] = try linker.layer(number) }
    for (name, module) in linker.modules {
      if let number = linker.numbers[name] {
        scripts[name] = linker.door(to: module, in: number)
      } else {
        scripts[name] = try linker.alone(module)
      }
    }
    return scripts
  }

  private init(layers: [WebLayer]) { self.layers = layers }

  private mutating func sort(_ name: String, into number: Int, from: String) throws(WebFault) {
    if numbers[name] != nil { return }
    guard let module = modules[name] else {
      throw WebFault(line: 0, what: "\(from): imports \(name), which is not there")
    }
    if let refusal = module.refusal { throw refusal }
    guard !way.contains(name) else { throw WebFault(line: 0, what: "\(name): imports itself") }
    way.append(name)
    for other in module.imports { try sort(other.name, into: number, from: name) }
    way.removeLast()
    numbers[name] = number
    members[number].append(name)
  }
}

extension WebLinker {
  private func layer(_ number: Int) throws(WebFault) -> Script {
    let members = members[number].compactMap { modules[$0] }
    var source = WebSource()
    let imports = putHead(of: members.flatMap(\.imports), for: "", in: number, into: &source)
    for module in members {
      source.put("export const \(Self.variable(of: module.name))=(()=>{\n")
      try put(module, into: &source)
      let given = module.exports.map { $0.name == "default" ? "default:$default" : $0.name }
      source.put("return{\(given.joined(separator: ","))};\n})();\n", behind: .line)
    }
    return Script(body: source.ended(), imports: imports)
  }

  /// A module in a file of its own, which takes what is in layers from there.
  private func alone(_ module: WebModule) throws(WebFault) -> Script {
    var source = WebSource()
    let imports = putHead(of: module.imports, for: module.name, in: nil, into: &source)
    try put(module, into: &source)
    let others = module.imports.map(\.name).filter { numbers[$0] == nil }
    return Script(body: source.ended(), imports: imports + others)
  }

  /// Adds the imports from layers other than a file's own. Returns the names of these layers.
  private func putHead(
    of imports: [WebModule.Import], for name: String, in own: Int?, into source: inout WebSource
  ) -> [String] {
    var taken: [Int: Set<String>] = [:]
    for other in imports {
      guard let number = numbers[other.name], number != own else { continue }
      taken[number, default: []].insert(Self.variable(of: other.name))
    }
    let layers = taken.sorted { $0.key < $1.key }
    for (number, variables) in layers {
      let names = variables.sorted().joined(separator: ",")
      source.put("import{\(names)}from\"\(path(to: number, from: name))\";\n")
    }
    return layers.map { self.layers[$0.key].name }
  }

  /// What stands at the address of a module that is in a layer, for those who ask for it there.
  private func door(to module: WebModule, in number: Int) -> Script {
    let variable = Self.variable(of: module.name)
    let names = module.exports.map(\.name).filter { $0 != "default" }
    var source = WebSource()
    source.put("import{\(variable)}from\"\(path(to: number, from: module.name))\";\n")
    source.put("export const{\(names.joined(separator: ","))}=\(variable);\n")
    if names.count < module.exports.count {
      source.put("export default \(variable).default;\n")
    }
    return Script(body: source.ended(), imports: [layers[number].name])
  }

  /// Adds a module's tokens, with other statements in place of those that name modules of layers.
  private func put(_ module: WebModule, into source: inout WebSource) throws(WebFault) {
    let isInLayer = numbers[module.name] != nil
    let folder = isInLayer ? "" : module.name
    var instead: [Int: (tokens: Range<Int>, text: String)] = [:]
    for other in module.imports {
      guard try layer(of: other, for: module) != nil else { continue }
      let blank = other.pattern.hasPrefix("{") ? "" : " "
      let text = "const\(blank)\(other.pattern)=\(Self.variable(of: other.name));"
      instead[other.tokens.lowerBound] = (other.tokens, text)
    }
    for other in module.laterImports {
      guard let number = try layer(of: other, for: module) else { continue }
      let variable = Self.variable(of: other.name)
      let path = path(to: number, from: folder)
      instead[other.tokens.lowerBound] = (
        other.tokens, "import(\"\(path)\").then(({\(variable)})=>\(variable))"
      )
    }
    for export in module.exports where isInLayer {
      let text = export.name == "default" ? "const $default=" : ""
      instead[export.words.lowerBound] = (export.words, text)
    }
    var index = 0
    while index < module.script.tokens.count {
      let token = module.script.tokens[index]
      if let (range, text) = instead[index] {
        source.put(text, behind: token.gap)
        index = range.upperBound
      } else {
        source.put(token, of: module.script)
        index += 1
      }
    }
  }

  /// Returns the layer from which another module is had; nil where it is none's. What is not given is not taken.
  private func layer(of other: WebModule.Import, for module: WebModule) throws(WebFault) -> Int? {
    let place = module.script.tokens[other.tokens.lowerBound].range.lowerBound
    guard let target = modules[other.name] else {
      throw module.fault("imports \(other.name), which is not there", at: place)
    }
    guard let number = numbers[other.name] else { return nil }
    for name in other.taken where !target.exports.contains(where: { $0.name == name }) {
      throw module.fault("\(other.name) does not export \(name)", at: place)
    }
    return number
  }

  private func path(to layer: Int, from name: String) -> String {
    let up = String(repeating: "../", count: name.count { $0 == "/" })
    return (up.isEmpty ? "./" : up) + layers[layer].name
  }

  /// The name under which a layer exports what a module exports.
  private static func variable(of name: String) -> String {
    "$" + String(name.dropLast(".js".count).map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }
}
