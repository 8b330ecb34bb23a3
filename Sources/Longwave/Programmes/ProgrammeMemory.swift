import Foundation
import Media
import Library
import Programmes
import Wire

/// What is kept of a programme over a restart: how far its plan has come, and which file plays.
struct ProgrammeMemory: Codable, Sendable {
  /// The file of an item that plays.
  struct Playing: Codable, Hashable, Sendable {
    var item: UInt64
    var root: String
    var path: [UInt8]
    var key: String
    var bytes: UInt64
    /// Nanoseconds since 1970.
    var modified: Int64

    init(item: UInt64, _ file: MusicFile) {
      (self.item, root, path) = (item, file.root, file.path)
      (key, bytes) = (file.key.description, file.identity.bytes)
      modified = file.identity.modified
    }

    /// Returns the file, as far as it is known without a look at it.
    func file(in format: AudioFormat, _ title: Title) -> MusicFile? {
      guard let key = TrackKey(key) else { return nil }
      return MusicFile(
        root: root, path: path,
        identity: MediaFile.Identity(device: 0, inode: 0, bytes: bytes, modified: modified),
        key: key, format: format, seconds: 0, isExact: false,
        title: title.parts?.title ?? title.text, artist: title.parts?.artist ?? "")
    }
  }

  var state: ProgrammeState
  var playing: Playing?

  /// The most bytes of a text that is read: a state of 250,000 played tracks has 5 MB.
  static let bytesMax = 16 << 20

  init(seed: Int64) { state = ProgrammeState(seed: seed) }

  /// Reads what `text` writes; nil of anything else.
  init?(text: String) {
    guard text.utf8.count <= Self.bytesMax,
      let memory = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = memory
  }

  var text: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
