import Library
import Logging
import Server
import Settings
import TestSupport
import Threads
import Wire

@testable import Longwave

/// A library of one track, which has a picture, in the root `main`.
final class FakeLibrary: Sendable {
  private static let made = Task { await FakeLibrary() }

  static var shared: FakeLibrary { get async { await made.value } }

  let desk: LibraryDesk
  let track: String
  private let (folder, data) = (TemporaryDirectory(), TemporaryDirectory())

  private init() async {
    folder.makeFolders(of: "a/One - Two.mp3")
    folder.write("a/One - Two.mp3", NumberedFrames.stream(0..<60))
    folder.age("a/One - Two.mp3")
    folder.write("a/cover.jpg", [0xFF, 0xD8, 0xFF, 0xE0])
    var configuration = Configuration()
    configuration.library.roots = [MusicRoot(id: "main", path: folder.path)]
    let music = MusicFolders(data: data.path, tagProgram: nil)
    let desk = LibraryDesk(
      LibraryStore(data.path + "/library.db"), music, TrackMeasures { _ in true },
      in: FolderTurns(),
      logger: LineLogHandler.logger(level: .critical), held: { nil })
    self.desk = desk
    await music.use(configuration)
    await desk.use(configuration.library)
    let found = try? await eventually("the track is in the library") { () -> String? in
      let order = TrackOrder(try SearchQuery(""))
      return try? await desk.list(for: .unixSocket) { store throws(LibraryError) in
        try store.tracks(order)
      }?.tracks.first?.key.description
    }
    track = found ?? ""
  }
}
