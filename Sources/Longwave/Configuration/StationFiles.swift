import Glibc

// Stations of files: read, and held against what is on the disk.
extension StationDefinition {
  mutating func readFiles(_ reader: SettingReader) {
    reader.read("files", into: &files, .absolutePath)
    reader.read(
      "throttle-bypass", into: &throttleBypass, .duration(ConfigurationLimits.throttleBypass))
    if reader.field("throttle-bypass") != nil, reader.field("files") == nil {
      reader.report("goes with files:, the folder that the station serves", key: "throttle-bypass")
    }
  }

  /// A station of files has no other audio.
  func refuseBeside(_ reader: SettingReader) {
    for key in ["upstream", "of"] where reader.field(key) != nil {
      return reader.report(
        "has no place beside files:, which says where the audio is; write one of them", key: key)
    }
    if onDemand { reader.report("has no place beside files:, which are", key: "on-demand") }
    if reader.field("delay") != nil {
      reader.report("goes with of:, the station that this one is, later", key: "delay")
    }
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
    guard let files else { return nil }
    PathLook.at(files)
    let kind = Self.kind(files)
    let isFolder = kind == S_IFDIR || kind == S_IFREG
    if isFolder, Glibc.access(files, R_OK) == 0 { return nil }
    let reason =
      isFolder || kind == nil ? String(cString: strerror(errno)) : "neither a folder nor a file"
    return "\(files): \(reason); make the folder, or write where it is"
  }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
