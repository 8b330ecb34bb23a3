import Synchronization
import Timeshift
import Wire

/// Which mount a name means. A station's id or a further path wins over a name derived from one.
package struct MountTable: Sendable {
  /// No two tables have the same.
  let serial = tables.add(1, ordering: .relaxed).newValue
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

  /// Returns the mount that has this path, `/ID` or a further one.
  func mount(at path: Substring) -> Mount? { byPath[String(path)].map { mounts[$0] } }

  /// Returns the mount that a playlist is named after: by its path, or by one whose ending of audio is left off.
  func mount(ofPlaylist name: Substring) -> Mount? {
    mount(at: name) ?? byBarePath[String(name)].map { mounts[$0] }
  }

  /// Returns the listed station with SHOUTcast's number, the first one when no number is given. Anybody could try numbers
  /// in turn, so others have only their names.
  func mount(numbered sid: Substring?) -> Mount? {
    guard let sid else { return mounts.first(where: \.isListed) }
    return mounts.first { $0.isListed && String($0.sid) == sid }
  }

  /// Returns the file of a path. Below a mount of files every path is one of its files; of several such mounts, the
  /// nearest counts.
  func file(at path: String) -> (mount: Mount, path: String)? {
    guard hasFiles else { return nil }
    var rest = Substring(path).utf8
    while let slash = rest.lastIndex(of: UInt8(ascii: "/")), slash > rest.startIndex {
      rest = rest[..<slash]
      if let index = byPath[String(Substring(rest))], mounts[index].files != nil {
        return (mounts[index], String(Substring(path.utf8[slash...].dropFirst())))
      }
    }
    return nil
  }

  /// Returns the station if it has at most `bitrate` kbit/s, since nothing made of it sounds better. Else the one of its
  /// renditions that has most of at most as many; where all have more, the one that has least.
  func mount(_ mount: Mount, within bitrate: Int) -> Mount {
    let all = [mount] + choice(of: mount.station).filter { !$0.isStopped }
    if all.count == 1 { return mount }
    if let own = mount.bitrate, own <= bitrate { return mount }
    let rated = all.map { (mount: $0, bitrate: $0.bitrate ?? .max) }
    return rated.filter { $0.bitrate <= bitrate }.max { $0.bitrate < $1.bitrate }?.mount
      ?? rated.min { $0.bitrate < $1.bitrate }?.mount ?? mount
  }

  /// Why a bit rate chooses nothing at a mount; nil where it does.
  func problem(withBitrateAt mount: Mount) -> StreamRequest.Refusal? {
    if !choice(of: mount.programme).isEmpty { return nil }
    return StreamRequest.Refusal(
      field: "bitrate",
      message: "\(mount.station) has no renditions that bitrate could choose; leave it out")
  }

  /// The renditions of a station that everybody may know who knows the station.
  private func choice(of station: String) -> [Mount] {
    let isListed = mount(station: station)?.isListed ?? true
    return (renditions[station] ?? []).map { mounts[$0] }.filter { $0.isListed || !isListed }
  }

  /// The renditions of a station that are made now, by falling bit rate.
  func variants(of mount: Mount) -> [Mount] {
    choice(of: mount.station).filter { !$0.isStopped && $0.demand?.isRunning != false }
      .sorted { ($0.bitrate ?? 0, $1.station) > ($1.bitrate ?? 0, $0.station) }
  }

  func mount(station: String) -> Mount? {
    byPath["/" + station].map { mounts[$0] }
  }
}

/// How many tables there have been.
private let tables = Atomic<UInt64>(0)
