import Reactor
import Wire

/// A sound input of this machine, such as a microphone, which ALSA's own program reads.
public struct SoundInput: Hashable, Sendable {
  /// ALSA's name of the device: `default`, `hw:1,0`, `plughw:CARD=Desk`.
  public let device: String

  /// The most bytes of a device's name.
  private static let bytesMax = 256
  private static let scheme = "alsa:"
  /// ALSA's names of the encodings of samples.
  private static let words: [SampleFormat.Encoding: String] = [
    .s16le: "S16_LE", .s16be: "S16_BE", .f32le: "FLOAT_LE",
  ]

  /// Reads `alsa:DEVICE`; nil for any other text.
  public init?(_ text: String) {
    guard Self.isMeant(by: text) else { return nil }
    let device = text.dropFirst(Self.scheme.count)
    let isPrintable = device.utf8.allSatisfy { (33...126).contains($0) }
    guard (1...Self.bytesMax).contains(device.utf8.count), isPrintable else { return nil }
    self.device = String(device)
  }

  /// Whether a text is meant to name a sound input, well or badly.
  public static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

  /// The input as it is written in the configuration.
  public var text: String { Self.scheme + device }

  /// Returns how the device's samples are encoded: they are 16 bits each, unless said otherwise.
  public static func encoding(_ wanted: PCMEncoding) -> PCMEncoding {
    var encoding = wanted
    encoding.raw = wanted.raw ?? .s16le
    return encoding
  }

  /// Returns the program that writes the device's samples, as the encoding reads them. Its label tells
  /// `ProgramTransfer` that it is a sound input.
  public func call(_ wanted: PCMEncoding) -> ProgramCall {
    let encoding = Self.encoding(wanted)
    return ProgramCall(
      [
        "arecord", "-D", device, "-f", encoding.raw.flatMap { Self.words[$0] } ?? "S16_LE",
        "-r", "\(encoding.rawRate)", "-c", "\(encoding.rawChannels)", "-t", "raw",
      ], in: "/", label: text, package: "alsa-utils")
  }

  // MARK: What the program says

  /// Returns why the input has ended, for people.
  ///
  /// - Parameters:
  ///   - end: how the program ended, in words.
  ///   - said: its last lines.
  func words(for end: String, said: String) -> String {
    "\(text): " + (Self.reason(in: said).map { "\($0) (\(end))" } ?? end)
  }

  /// Returns what the program said, in words for people; nil where nothing more is known.
  private static func reason(in said: String) -> String? {
    let known = [
      ("No such file or directory", "there is no such sound device"),
      ("No such device", "there is no such sound device"),
      ("Device or resource busy", "another program has the sound device"),
      (
        "Permission denied",
        "the relay's user may not read the sound device; add it to the group audio"
      ),
      ("Channels count non available", "the sound device has another number of channels"),
      ("Sample format non available", "the sound device has samples of another format"),
    ]
    // The last line is the program's own; those before are the library's.
    let line = said.split(separator: "\n").last { $0.hasPrefix("arecord:") }
    return line.flatMap { line in known.first { line.contains($0.0) }?.1 }
  }

  /// Returns what is wrong with samples that come all the same: they are at another rate.
  static func fault(in line: String) -> String? {
    // "Warning: rate is not accurate (requested = 44100Hz, got = 48000Hz)"
    guard line.contains("rate is not accurate") else { return nil }
    let rates = line.split { !$0.isASCII || !$0.isNumber }
    guard rates.count == 2 else { return "the sound device records at another rate" }
    return
      "the sound device records at \(rates[1]) Hz, not at \(rates[0]); write rate: \(rates[1]) "
      + "in encode:, or plughw in place of hw"
  }
}
