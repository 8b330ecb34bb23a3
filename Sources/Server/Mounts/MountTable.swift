import Timeshift
import Wire

/// Which mount a path means. A station's id or a further path wins over a name derived from one.
package struct MountTable: Sendable {
  enum Found {
    case stream(Mount)
    case playlist(Mount, PlaylistKind)
    /// A piece of the mount's window as a file.
    case clip(Mount)
    /// The mount's samples, behind a WAV head or as they are.
    case samples(Mount, isWAV: Bool)
    /// One of the mount's files; with an empty path, the file that the mount is.
    case file(Mount, path: String)
  }

  package enum PlaylistKind: String, CaseIterable {
    case m3u, pls, xspf, asx

    package var mediaType: String {
      switch self {
      case .m3u: "audio/x-mpegurl"
      case .pls: "audio/x-scpls"
      case .xspf: "application/xspf+xml"
      case .asx: "video/x-ms-asf"
      }
    }
  }

  let mounts: [Mount]
  private let byPath: [String: Int]
  /// Further paths without their ending of audio, for playlists: `/Jazz_128.m3u` of `/Jazz_128.mp3`.
  private let byBarePath: [String: Int]
  private let hasFiles: Bool
  /// Mounts that are renditions, by their original.
  private let renditions: [String: [Int]]

  init(_ mounts: [Mount] = []) {
    self.mounts = mounts
    var byPath: [String: Int] = [:]
    // Further paths first: a station's id wins over another's further path.
    for (index, mount) in mounts.enumerated() {
      for path in mount.paths where byPath[path] == nil { byPath[path] = index }
    }
    for (index, mount) in mounts.enumerated() { byPath["/" + mount.station] = index }
    self.byPath = byPath
    var byBarePath: [String: Int] = [:]
    for (index, mount) in mounts.enumerated() {
      for path in mount.paths.compactMap(MountName.withoutEnding) where byBarePath[path] == nil {
        byBarePath[path] = index
      }
    }
    self.byBarePath = byBarePath
    hasFiles = mounts.contains { $0.files != nil }
    renditions = Dictionary(grouping: mounts.indices.filter { mounts[$0].renditionOf != nil }) {
      mounts[$0].programme
    }
  }

  /// Returns what a path means; nil when no mount has it.
  ///
  /// - Parameters:
  ///   - path: percent-decoded, beginning with a slash. One trailing slash is overlooked, and so is what SHOUTcast's
  ///     players hang on to a path (`/;`, `/;stream.nsv`).
  ///   - sid: SHOUTcast's number of a stream, from 1, for the paths that name none.
  func find(_ path: String, sid: String? = nil) -> Found? {
    let found = findStream(path, sid: sid)
    if case .stream(let mount) = found {
      return mount.files == nil ? found : .file(mount, path: "")
    }
    if case .clip(let mount) = found, mount.files == nil { return found }
    if case .samples(let mount, _) = found, mount.files == nil { return found }
    return findFile(path) ?? found
  }

  /// Returns the file of a path. Below a mount of files every path is one of its files; of several such mounts, the
  /// nearest counts.
  private func findFile(_ path: String) -> Found? {
    guard hasFiles else { return nil }
    var rest = Substring(path).utf8
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")), slash > rest.startIndex {
      rest = rest[..<slash]
      if let index = byPath[String(Substring(rest))], mounts[index].files != nil {
        return .file(mounts[index], path: String(Substring(path.utf8[slash...].dropFirst())))
      }
    }
    return nil
  }

  private func findStream(_ path: String, sid: String?) -> Found? {
    var path = Substring(path)
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let semicolon = slash.flatMap { path.utf8[$0...].firstIndex(of: UInt8(ascii: ";")) }
    if let semicolon { path = path[..<semicolon] }
    if path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
      path = Substring(path.utf8.dropLast())
    }
    if let index = byPath[String(path)] { return .stream(mounts[index]) }
    if path == "/", semicolon != nil { return numbered(sid).map { .stream($0) } }
    return findDerived(path, sid: sid)
  }

  /// Returns the station with SHOUTcast's number; the first one when no number is given.
  private func numbered(_ sid: (some StringProtocol)?) -> Mount? {
    guard let sid else { return mounts.first }
    return mounts.first { String($0.sid) == sid }
  }

  private func findDerived(_ path: Substring, sid: String?) -> Found? {
    if path == "/stream" { return numbered(sid).map { .stream($0) } }
    if path.utf8.starts(with: "/stream/".utf8) {
      return numbered(Substring(path.utf8.dropFirst("/stream/".count))).map { .stream($0) }
    }
    if path == "/listen" { return numbered(sid).map { .playlist($0, .pls) } }
    func mount(below ending: String) -> Mount? {
      guard path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return nil }
      return byPath[String(Substring(path.utf8.dropLast(ending.utf8.count)))].map { mounts[$0] }
    }
    if let mount = mount(below: "/clip") { return .clip(mount) }
    if let mount = mount(below: "/pcm") { return .samples(mount, isWAV: false) }
    if let mount = mount(below: "/pcm.wav") { return .samples(mount, isWAV: true) }
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(Substring(path.utf8[dot...].dropFirst()))
    if path[..<dot] == "/listen", let kind = PlaylistKind(rawValue: ending) {
      return numbered(sid).map { .playlist($0, kind) }
    }
    let name = String(path[..<dot])
    if let kind = PlaylistKind(rawValue: ending) {
      return (byPath[name] ?? byBarePath[name]).map { .playlist(mounts[$0], kind) }
    }
    guard let index = byPath[name] else { return nil }
    // `/ID.mp3` is the stream if that is its codec.
    let codec = mounts[index].log?.snapshot().format?.codec
    return codec?.pathEndings.contains(ending) == true ? .stream(mounts[index]) : nil
  }

  /// Returns the station if it has at most `bitrate` kbit/s, since nothing made of it sounds better. Else the one of its
  /// renditions that has most of at most as many; where all have more, the one that has least.
  func mount(_ mount: Mount, within bitrate: Int) -> Mount {
    let all =
      [mount] + (renditions[mount.station] ?? []).map { mounts[$0] }.filter { !$0.isStopped }
    if all.count == 1 { return mount }
    if let own = mount.bitrate, own <= bitrate { return mount }
    let rated = all.map { (mount: $0, bitrate: $0.bitrate ?? .max) }
    return rated.filter { $0.bitrate <= bitrate }.max { $0.bitrate < $1.bitrate }?.mount
      ?? rated.min { $0.bitrate < $1.bitrate }?.mount ?? mount
  }

  /// Why a bit rate chooses nothing at a mount; nil where it does.
  func problem(withBitrateAt mount: Mount) -> StreamRequest.Refusal? {
    if renditions[mount.programme] != nil { return nil }
    return StreamRequest.Refusal(
      field: "bitrate",
      message: "\(mount.station) has no renditions that bitrate could choose; leave it out")
  }

  func mount(station: String) -> Mount? {
    byPath["/" + station].map { mounts[$0] }
  }
}
