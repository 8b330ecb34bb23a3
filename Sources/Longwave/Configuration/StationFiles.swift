import Glibc
import Server

// Stations of files: read, and held against what is on the disk.
extension StationSource {
  static func readFiles(_ reader: SettingReader) -> StationSource {
    var (root, throttleBypass) = (String?.none, Double?.none)
    reader.read("files", into: &root, .absolutePath)
    reader.read(
      "throttle-bypass", into: &throttleBypass, .duration(ConfigurationLimits.throttleBypass))
    if reader.field("throttle-bypass") != nil, reader.field("files") == nil {
      reader.report("goes with files:, the folder that the station serves", key: "throttle-bypass")
    }
    return .files(root ?? "", throttleBypass: throttleBypass)
  }

  /// A station of files has no other audio.
  static func refuseBesideFiles(_ reader: SettingReader) {
    for key in ["upstream", "of"] where reader.field(key) != nil {
      return reader.report(
        "has no place beside files:, which says where the audio is; write one of them", key: key)
    }
    refuseDelay(reader)
  }

  static func refuseDelay(_ reader: SettingReader) {
    if reader.field("delay") == nil { return }
    reader.report("goes with of:, the station that this one is, later", key: "delay")
  }
}

extension ValueRule where Value == String {
  /// Of something on this machine, wherever the relay was started.
  static var absolutePath: ValueRule {
    let wanted = "a path that begins with a slash"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 4095,
        !text.utf8.contains(where: { $0 < 32 || $0 == 127 })
      else { throw InvalidValue("\"\(text)\" is not \(wanted)") }
      return text
    }
  }
}

extension StationDefinition {
  /// Why its files cannot be served; nil: they can, or it has none. Blocks.
  var filesProblem: String? {
    guard let root = files?.root else { return nil }
    PathLook.at(root)
    let kind = Self.kind(root)
    let isFolder = kind == S_IFDIR || kind == S_IFREG
    if isFolder, Glibc.access(root, R_OK) == 0 { return nil }
    let reason =
      isFolder || kind == nil ? String(cString: strerror(errno)) : "neither a folder nor a file"
    return "\(root): \(reason); make the folder, or write where it is"
  }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
