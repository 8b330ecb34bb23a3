import Longwave
import Wire

/// Converts Icecast's configuration (icecast.xml of 2.3 to 2.5) into one for Longwave.
///
/// Settings without a counterpart, or with another meaning, are written as comments: nothing is dropped silently. A
/// setting that no rule below uses is named with its line, its value and the advice.
public struct IcecastImport: Sendable {
  /// The YAML, which a server accepts unchanged.
  public private(set) var text: String

  /// Most bytes of a file, and most tags in it: a hundred times what people write. A tree of a file takes a hundred
  /// times its bytes.
  private static let (bytesMax, tagsMax) = (4 << 20, 400_000)

  /// - Parameter file: The file's name, for messages.
  public init(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
    try self.init(bytes, file: file, on: .own)
  }

  init(_ bytes: [UInt8], file: String, on machine: IcecastMachine) throws(ConfigurationError) {
    guard bytes.count <= Self.bytesMax,
      bytes.count(where: { $0 == UInt8(ascii: "<") }) <= Self.tagsMax
    else {
      throw ConfigurationError(
        file,
        "has more than \(Self.bytesMax >> 20) MiB or \(Self.tagsMax) tags; name Icecast's configuration"
      )
    }
    guard let document = XMLNode(bytes), document.name == "icecast" else {
      throw ConfigurationError(
        file, "is no configuration of Icecast: <icecast> is missing; name its icecast.xml")
    }
    // Icecast refuses such a file, too. A cut file may be cut in the middle of a name or a number.
    if let fault = XMLFault(in: bytes) {
      let advice =
        fault.isEnd ? XMLFault.cutAdvice : "mend it: Icecast does not take it either"
      throw ConfigurationError(file, line: fault.line, "\(fault); \(advice)")
    }
    let count = document.children.count { ["relay", "mount"].contains($0.name) }
    guard count <= ConfigurationLimits.stationsMax else {
      throw ConfigurationError(
        file,
        "has \(count) relays and mounts; a relay has at most \(ConfigurationLimits.stationsMax) stations"
      )
    }
    let root = IcecastNode(document)
    let sockets = IcecastSockets(root, machine)
    let stations = IcecastStations(root, shoutcast: sockets.shoutcast.map(\.mount), machine)
    let sections = IcecastSections(root, sockets, machine)
    var yaml = IcecastYAML()
    sections.write(to: &yaml)
    stations.write(to: &yaml)
    var head = IcecastYAML()
    head.comment(
      "Made from \(file). What Icecast's file says and this one cannot stands in comments.")
    for remainder in root.remainders(without: stations.named) { head.comment(remainder.words) }
    text = head.text + yaml.text
  }

  /// Reads a file.
  public static func read(from path: String) throws(ConfigurationError) -> IcecastImport {
    try IcecastImport(Array(try NamedFile.contents(of: path, most: bytesMax)), file: path)
  }
}
