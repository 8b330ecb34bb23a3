import Testing
import Timeshift
import Wire

@testable import LongwaveAPI
@testable import Server

/// The rows that the loops answer themselves, held against the table of mounts that they answer by.
@Suite struct StreamPathTests {
  private static let rows = Operation.all.filter { $0.answering == nil }

  private let mounts = MountTable([
    Mount(station: "jazz", sid: 1, log: PacketLog(memoryOnly: LogConfiguration(), at: .now())),
    Mount(station: "shows", sid: 2, content: .files(FileSource(root: "/srv/shows"))),
  ])

  private static func path(of row: Operation) -> String {
    row.path.text.replacing("{station}", with: row.name == "file" ? "shows" : "jazz")
      .replacing("{file}", with: "a.mp3")
  }

  /// The name of the row that stands for what the server finds.
  private func found(_ method: String, _ path: String) -> String {
    let head = HTTPRequestHead(method: method, target: path, path: path)
    if Routes.isSource(head) { return "push" }
    return switch Routes.route(head, in: mounts) {
    case .stream(let mount): mount.station == "jazz" ? "listen" : "another station"
    case .playlist(let mount, let kind):
      mount.station == "jazz" ? "\(kind.rawValue)Playlist" : "another station"
    case .clip(let mount): mount.station == "jazz" ? "clip" : "another station"
    case .samples(let mount, let isWAV):
      mount.station != "jazz" ? "another station" : isWAV ? "samplesFile" : "samples"
    case .file(let mount, let path):
      mount.station == "shows" && path == "a.mp3" ? "file" : "another file"
    case .api: "the API"
    case .options: "the methods"
    case .methodNotAllowed: "another method"
    }
  }

  @Test func `the server finds what each of them is there for`() {
    for row in Self.rows { #expect(found(row.method, Self.path(of: row)) == row.name) }
  }

  @Test func `nothing else answers there`() {
    for row in Self.rows {
      let path = Self.path(of: row)
      #expect(Operation.table.at(path).isEmpty, "\(path)")
      for method in ["POST", "PATCH", "DELETE"] {
        #expect(found(method, path) == "another method", "\(method) \(path)")
      }
    }
  }

  @Test func `no row with an answer of its own is a stream's`() {
    for row in Operation.all where row.answering != nil {
      #expect(found(row.method, Self.path(of: row)) == "the API", "\(row.name)")
    }
  }

  @Test func `every kind of playlist has its row and its type`() {
    for kind in MountTable.PlaylistKind.allCases {
      let row = Self.rows.first { $0.name == "\(kind.rawValue)Playlist" }
      #expect(row?.answer.content.map(\.mediaType) == [kind.mediaType])
    }
  }
}
