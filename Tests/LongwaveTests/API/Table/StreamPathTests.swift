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

  private static func parts(of row: String) -> [String] {
    switch row {
    case "file": ["a.mp3"]
    case "hlsSegment": ["{key}", "{segment}"]
    case "hlsSealedSegment": ["{seal}", "{key}", "{segment}"]
    default: []
    }
  }

  /// The name of the row that stands for what the server finds.
  private func found(_ method: String, _ path: String) -> String {
    let head = HTTPRequestHead(method: method, target: path, path: path)
    if Routes.isSource(head) { return "push" }
    return switch Routes.route(head, in: mounts) {
    case .served(let found): self.name(of: found)
    case .api: "the API"
    case .options: "the methods"
    case .methodNotAllowed: "another method"
    }
  }

  private func name(of found: Routes.Found) -> String {
    let row = found.row.name
    if found.mount.station != (row == "file" ? "shows" : "jazz") { return "another station" }
    return found.parts == Self.parts(of: row) ? row : "another file"
  }

  @Test func `the server finds every stream path's own row`() {
    for row in Self.rows { #expect(found(row.method, Self.path(of: row)) == row.name) }
  }

  @Test func `a stream path answers nothing but its own method`() {
    for row in Self.rows {
      let path = Self.path(of: row)
      #expect(Operation.table.at(path).isEmpty, "\(path)")
      for method in ["POST", "PATCH", "DELETE"] {
        #expect(found(method, path) == "another method", "\(method) \(path)")
      }
    }
  }

  @Test func `an operation with an answer of its own is no stream path`() {
    for row in Operation.all where row.answering != nil {
      #expect(found(row.method, Self.path(of: row)) == "the API", "\(row.name)")
    }
  }

  @Test func `every path that the server serves has one row, and every row a path`() {
    func text(_ method: String, _ path: String, _ name: String) -> String {
      "\(method) \(path) \(name)"
    }
    let served = Set(ServedPath.all.map { text($0.method, $0.pattern.text, $0.name) })
    #expect(served == Set(Self.rows.map { text($0.method, $0.path.text, $0.name) }))
  }

  @Test func `every kind of playlist has its row and its type`() {
    for kind in PlaylistKind.allCases {
      let row = Self.rows.first { $0.name == "\(kind.rawValue)Playlist" }
      #expect(row?.answer.content.map(\.mediaType) == [kind.mediaType])
    }
  }
}
