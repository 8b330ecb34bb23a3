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
    var seconds: Double?
    /// What is played of it, in seconds as of `TrackCue`; nil: all.
    var cueIn: Double?
    var cueOut: Double?
    /// The key of all of the file, of a part that a list names; nil: `key`.
    var whole: String?
    /// Whether it was made to fit; nil: no.
    var isMade: Bool?
    /// Whether a command has left it: it does not go on; nil: no.
    var isLeft: Bool?
    /// Steps of `MPEGGain`; nil: none.
    var steps: Int?
    /// Number of the file's sample up to which the log has frames of a seam in place of the file's own.
    var seamEnd: UInt64?
    /// The same at its end: the sample from which on.
    var seamStart: UInt64?

    init(
      item: UInt64, _ file: MusicFile, isMade: Bool = false, steps: Int = 0, seamEnd: UInt64? = nil
    ) {
      (self.item, root, path) = (item, file.root, file.path)
      (key, bytes) = (file.key.description, file.identity.bytes)
      (modified, seconds) = (file.identity.modified, file.seconds)
      (cueIn, cueOut) = (file.cue?.start, file.cue?.end)
      whole = file.whole?.description
      self.isMade = isMade ? true : nil
      self.steps = steps == 0 ? nil : steps
      self.seamEnd = seamEnd
    }

    /// Whether the packet before a sample of the file is a seam's.
    func isInSeam(_ sample: UInt64) -> Bool {
      seamEnd.map { sample < $0 } ?? false || seamStart.map { sample > $0 } ?? false
    }

    /// The longest file that is believed.
    private static let secondsMax = 1e7

    /// Returns the file, as far as it is known without a look at it.
    func file(in format: AudioFormat, _ title: Title) -> MusicFile? {
      guard let key = TrackKey(key) else { return nil }
      var file = MusicFile(
        root: root, path: path,
        identity: MediaFile.Identity(device: 0, inode: 0, bytes: bytes, modified: modified),
        key: key, format: format,
        seconds: seconds.map { min(Self.secondsMax, max(0, $0)) } ?? 0, isExact: false,
        title: title.parts?.title ?? title.text, artist: title.parts?.artist ?? "")
      file.cue = TrackCue(from: cueIn, to: cueOut)
      file.whole = whole.flatMap { TrackKey($0) }
      return file
    }
  }

  var state: ProgrammeState
  var playing: Playing?
  /// The item before it: the log may end in that one, as its last moment may be lost.
  var before: Playing?
  /// The item that plays, and those before it, the newest first; as people are shown them.
  var now: StoredItem?
  var played: [StoredItem]?
  /// How much of its audio is its files' own.
  var passed: PassedAudio?
  /// The part whose rules hold; nil: those outside of all parts.
  var part: Int?
  /// Rules that a command has changed, as `RuleChanges` writes them.
  var rules: String?

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
