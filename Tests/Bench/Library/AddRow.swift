import Foundation
import TestSupport

/// A station that is added for a folder which nobody has looked through yet: when its first audio comes.
struct AddRow: LibraryRow {
  private static let rounds = 2

  func measure(in bench: LibraryBench) throws -> LibraryTable {
    let count = bench.sizes.added
    let folder = try bench.music.short(count, seconds: 4, bitrate: 64)
    var table = LibraryTable(
      "A station of \(count) files never looked at, \(Self.rounds) times in turn",
      ["server", "from", "seconds to the first audio byte"])
    var (ours, mpd, liquidsoap): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<Self.rounds {
      ours.append(try own(folder, bench))
      if MPDServer.hindrance == nil { mpd.append(try Self.mpd(folder, bench)) }
      if LiquidsoapServer.hindrance == nil { liquidsoap.append(try Self.soap(folder, bench)) }
    }
    func list(_ seconds: [Double], _ hindrance: String?) -> String {
      hindrance ?? seconds.map { $0.text(2) }.joined(separator: ", ")
    }
    table.rows = [
      ["longwave", "`station add night --folder`", list(ours, nil)],
      ["MPD", "`update`, `add /`, `play`", list(mpd, MPDServer.hindrance)],
      [
        "Liquidsoap", "its start with `playlist(FOLDER)`",
        list(liquidsoap, LiquidsoapServer.hindrance),
      ],
    ]
    table.notes.append("longwave, the longest: \((ours.max() ?? 0).text(2)) s (to reach: 3)")
    return table
  }

  private func own(_ folder: String, _ bench: LibraryBench) throws -> Double {
    let relay = try bench.relay([])
    defer { relay.stop() }
    Thread.sleep(forTimeInterval: 1)
    let began = monotonicNow()
    try relay.command(["station", "add", "night", "--folder", folder])
    return try since(began, port: relay.port, path: "/night")
  }

  private static func mpd(_ folder: String, _ bench: LibraryBench) throws -> Double {
    let port = freePort()
    let server = try MPDServer(music: folder, output: .http(port: port), in: bench.scratch)
    defer { server.stop() }
    Thread.sleep(forTimeInterval: 1)
    let began = monotonicNow()
    try server.update()
    try server.play()
    return try since(began, port: port, path: "/")
  }

  private static func soap(_ folder: String, _ bench: LibraryBench) throws -> Double {
    let began = monotonicNow()
    let server = try LiquidsoapServer(music: folder, crossfade: 0, in: bench.scratch)
    defer { server.stop() }
    return try since(began, port: server.port, path: LiquidsoapServer.path)
  }
}

private func since(_ began: Int64, port: UInt16, path: String) throws -> Double {
  Double(try FirstByte.wait(port: port, path: path, within: 60) - began) / 1e9
}
