/// Modules that browsers load as one file, since those of one page are needed together.
struct WebLayer {
  /// Its name among the assets.
  let name: String
  /// A layer has what this module imports at once, and itself, as far as no layer before has it.
  let root: String
  /// Where some are named: only what one of these has as well.
  var others: [String] = []

  /// All of the program, each knowing those before it.
  static let all = [
    // What the dashboard needs, too.
    WebLayer(name: "base.layer.js", root: "stations.js", others: ["admin/app.js"]),
    // What the list needs, and the player.
    WebLayer(name: "pages.layer.js", root: "stations.js", others: ["listen.js", "after.js"]),
    WebLayer(name: "list.layer.js", root: "stations.js"),
    WebLayer(name: "player.layer.js", root: "listen.js"),
    WebLayer(name: "after.layer.js", root: "after.js"),
  ]
}

/// Makes layers of modules. In its layer each stands in the scope of a function, which returns what it exports: names
/// stay its own, and a browser has one of each however it is asked for.
///
/// A module runs when one that imports it runs, and once, wherever it stands. Its exports never change: they are copied
/// to those that import it.
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

  /// Returns all scripts as they are sent, and the layers.
  static func link(_ sources: [String: [UInt8]], _ layers: [WebLayer]) throws(WebFault)
    -> [String: Script]
  {
    var linker = WebLinker(layers: layers)
    for (name, source) in sources { linker.modules[name] = try WebModule(name, source) }
    for layer in layers { try linker.gather(layer) }
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

  private mutating func gather(_ layer: WebLayer) throws(WebFault) {
    var theirs: Set<String> = []
    for other in layer.others { theirs.formUnion(try needs(of: other, for: layer)) }
    var own: [String] = []
    for name in try needs(of: layer.root, for: layer) where numbers[name] == nil {
      guard layer.others.isEmpty || theirs.contains(name) else { continue }
      if let refusal = modules[name]?.refusal { throw refusal }
      numbers[name] = members.count
      own.append(name)
    }
    members.append(own)
  }

  /// Returns what a module imports at once, and itself: each behind those that it imports.
  private func needs(of root: String, for layer: WebLayer) throws(WebFault) -> [String] {
    var found: [String] = []
    var known: Set<String> = []
    var way: [String] = []
    func visit(_ name: String, from: String) throws(WebFault) {
      guard let module = modules[name] else {
        throw WebFault(line: 0, what: "\(from): imports \(name), which is not there")
      }
      guard !way.contains(name) else { throw WebFault(line: 0, what: "\(name): imports itself") }
      guard known.insert(name).inserted else { return }
      way.append(name)
      for other in module.imports { try visit(other.name, from: name) }
      way.removeLast()
      found.append(name)
    }
    try visit(root, from: layer.name)
    return found
  }
}

extension WebLinker {
  private func layer(_ number: Int) throws(WebFault) -> Script {
    let members = members[number].compactMap { modules[$0] }
    var source = WebSource()
    let imports = putHead(of: members.flatMap(\.imports), for: "", in: number, into: &source)
    source.put("const $=run=>{let its;return()=>its??=run()};\n")
    for module in members {
      source.put("export const \(Self.variable(of: module.name))=$(()=>{\n")
      try put(module, into: &source)
      let given = module.exports.map { $0.name == "default" ? "default:$default" : $0.name }
      source.put("return{\(given.joined(separator: ","))};\n});\n", behind: .line)
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

  /// What stands at the address of a module that is in a layer: pages begin with it, and others ask for it there.
  private func door(to module: WebModule, in number: Int) -> Script {
    let variable = Self.variable(of: module.name)
    let names = module.exports.map(\.name).filter { $0 != "default" }
    let given = names.isEmpty ? "" : "export const{\(names.joined(separator: ","))}="
    var source = WebSource()
    source.put("import{\(variable)}from\"\(path(to: number, from: module.name))\";\n")
    source.put("\(given)\(variable)();\n")
    if names.count < module.exports.count {
      source.put("export default \(variable)().default;\n")
    }
    return Script(body: source.ended(), imports: [layers[number].name])
  }

  /// Adds a module's tokens, with other words in place of those that hold in a file of its own only.
  private func put(_ module: WebModule, into source: inout WebSource) throws(WebFault) {
    let isInLayer = numbers[module.name] != nil
    let folder = isInLayer ? "" : module.name
    var instead: [Int: (tokens: Range<Int>, text: String)] = [:]
    func replace(_ tokens: Range<Int>, by text: String) {
      instead[tokens.lowerBound] = (tokens, text)
    }
    for other in module.imports where try layer(of: other, for: module) != nil {
      let constant = other.pattern.map { "const\($0.hasPrefix("{") ? "" : " ")\($0)=" } ?? ""
      replace(other.tokens, by: "\(constant)\(Self.variable(of: other.name))();")
    }
    for other in module.laterImports {
      if let number = try layer(of: other, for: module) {
        let (path, variable) = (path(to: number, from: folder), Self.variable(of: other.name))
        replace(other.tokens, by: "import(\"\(path)\").then(({\(variable)})=>\(variable)())")
      } else if isInLayer {
        replace(other.tokens, by: "import(\"./\(other.name)\")")
      }
    }
    if isInLayer {
      for export in module.exports {
        replace(export.words, by: export.name == "default" ? "const $default=" : "")
      }
      for address in module.ownAddresses {
        replace(address, by: "new URL(\"./\(module.name)\",import.meta.url).href")
      }
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

  /// Returns the layer that has another module, nil where none has. What is not given is not taken.
  private func layer(of other: WebModule.Import, for module: WebModule) throws(WebFault) -> Int? {
    let place = module.script.tokens[other.tokens.lowerBound].range.lowerBound
    guard let target = modules[other.name] else {
      throw module.fault("imports \(other.name), which is not there", at: place)
    }
    for name in target.refusal == nil ? other.taken : []
    where !target.exports.contains(where: { $0.name == name }) {
      throw module.fault("\(other.name) does not export \(name)", at: place)
    }
    return numbers[other.name]
  }

  private func path(to layer: Int, from name: String) -> String {
    let up = String(repeating: "../", count: name.count { $0 == "/" })
    return (up.isEmpty ? "./" : up) + layers[layer].name
  }

  /// The name under which a layer exports the function that runs a module.
  private static func variable(of name: String) -> String {
    "$" + String(name.dropLast(".js".count).map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }
}
