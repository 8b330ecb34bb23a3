import Ingest
import Timeshift
import Wire

/// Consequences of the source of a station's audio.
///
/// One row for each case of `StationSource`. Values that only one case has, as the files, are properties of
/// `StationDefinition`.
package struct StationKind {
  /// Word that stands for the source where no URL does.
  package var word: String
  /// Where the audio comes from, in words that follow the station's id.
  package var origin: String
  /// Filler of the station's own log; nil where the station has none.
  package var filler: FillerName?
  /// The station whose audio this one needs.
  package var parent: String?
  /// Samples that `encode` makes the station's audio of.
  var samples = Samples.none
  /// Whether titles may be announced by hand and by request.
  package var takesTitles = false
  /// Whether encoders may push the audio.
  package var takesSources = false
  /// Why no station can be made of it, in words that follow its id; nil where one can.
  package var noOriginal: String?
  /// Why commands may not add such a station; nil where they may.
  package var refusal: RelayError?

  /// Whose samples a station encodes.
  enum Samples { case none, program, soundInput, original }

  /// The names of what fills logs: see `Filler`.
  package enum FillerName: Hashable, Sendable { case ingest, rendition, programme }

  /// Whether the station's audio is another's, encoded anew.
  package var isRendition: Bool { filler != nil && parent != nil }

  /// Whether a station may change from one to the other: what fills its log stays.
  package func isSame(as other: StationKind) -> Bool {
    filler == other.filler && (parent == nil) == (other.parent == nil)
  }

  /// Whether a station can change from one to the other with the log that it has.
  package func hasLog(of other: StationKind) -> Bool {
    isSame(as: other) && (filler != nil || parent == other.parent)
  }
}

extension StationSource {
  package var kind: StationKind {
    switch self {
    case .upstream(let urls):
      StationKind(
        word: PushSource.url,
        origin: urls == [PushSource.url]
          ? "is pushed by an encoder" : "is pulled from an upstream",
        filler: .ingest, takesTitles: true, takesSources: urls.contains(PushSource.url))
    case .command:
      StationKind(
        word: "command:", origin: "is made by a program", filler: .ingest, samples: .program,
        takesTitles: true,
        refusal: StationBody.noCommand)
    case .soundInput:
      StationKind(
        word: "alsa:", origin: "is recorded from a sound card", filler: .ingest,
        samples: .soundInput, takesTitles: true,
        refusal: StationBody.noSoundInput)
    case .copy(let original, _):
      StationKind(
        word: "of:", origin: "is \(original), later", parent: original,
        noOriginal: "is itself another station, later; name that one")
    case .rendition(let original):
      StationKind(
        word: "of:", origin: "is made of \(original)", filler: .rendition, parent: original,
        samples: .original,
        noOriginal: "is itself made of another station; name \"\(original)\"")
    case .programme:
      StationKind(word: "programme:", origin: "is a programme", filler: .programme)
    case .files:
      StationKind(
        word: "files:", origin: "serves files", noOriginal: "serves files, which have no live edge")
    }
  }
}

extension StationDefinition {
  package var kind: StationKind { source.kind }

  /// Returns why `other` cannot be a copy or a rendition of this station; nil when it can.
  ///
  /// - Parameter window: this station's window, in seconds.
  package func problem(
    heardBy other: StationDefinition, window: Double
  ) -> (key: String, message: String)? {
    if let reason = kind.noOriginal { return ("of", "\"\(id)\" \(reason)") }
    if other.kind.isRendition { return nil }
    if rests { return ("of", "\"\(id)\" rests while nobody listens; take away its on-demand:") }
    if other.delay >= MediaTime(seconds: window) {
      let kept = DurationText.format(window)
      return ("delay", "\"\(id)\" keeps \(kept); write a shorter delay, or give it a longer window")
    }
    return nil
  }
}
