import Longwave

/// The paths of Icecast's configuration, which are known before any station has an id.
///
/// The id of a station is a path, too. One that is made must not be the path of another station: encoders and players
/// come to what the file says.
struct IcecastPaths {
  /// Another name of a mount, which is no mount itself.
  struct Alias {
    let name: String
    let mount: String
    let node: IcecastNode
  }

  /// The aliases that can be paths of a station; of several with one name, the first.
  private(set) var aliases: [Alias] = []
  private let mounts: Set<String>
  /// The names of each mount, without their slashes.
  private var names: [String: Set<String>] = [:]

  /// - Parameter others: paths that stand neither in a relay nor in a mount.
  init(_ root: IcecastNode, others: [String]) {
    let all =
      root.all("relay").map(Self.local(of:))
      + root.all("mount").compactMap { $0.look("mount-name") } + others
    mounts = Set(all.map(Self.whole))
    for mount in mounts { names[mount] = [String(mount.dropFirst())] }
    var known = mounts
    for node in root.child("paths")?.all("alias") ?? [] {
      guard let alias = Self.alias(node), mounts.contains(alias.mount),
        known.insert(alias.name).inserted
      else { continue }
      aliases.append(alias)
      names[alias.mount]?.insert(String(alias.name.dropFirst()))
    }
  }

  /// Every path, without its slash.
  var all: Set<String> { names.values.reduce(into: []) { $0.formUnion($1) } }

  /// Returns the names that lead to a mount, without their slashes.
  func names(of mount: String) -> Set<String> { names[mount] ?? [] }

  /// Returns a path with its slash.
  static func whole(_ path: String) -> String { path.hasPrefix("/") ? path : "/" + path }

  /// Returns the path that a relay has here.
  static func local(of relay: IcecastNode) -> String {
    relay.look("local-mount") ?? remote(of: relay)
  }

  /// Returns the path that a relay asks for. From 2.5 on the upstream is an element of its own.
  static func remote(of relay: IcecastNode) -> String {
    (relay.child("upstream") ?? relay).look("mount") ?? "/"
  }

  private static func alias(_ node: IcecastNode) -> Alias? {
    let key = node.look(attribute: "dest") != nil ? "dest" : "destination"
    guard let name = node.look(attribute: "source"), let mount = node.look(attribute: key),
      node.look(attribute: "port") == nil, node.look(attribute: "bind-address") == nil,
      MountPath.problem(in: name) == nil
    else { return nil }
    return Alias(name: name, mount: whole(mount), node: node)
  }
}
