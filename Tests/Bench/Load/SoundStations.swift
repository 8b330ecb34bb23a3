import Foundation
import TestSupport

/// Stations that play a file of music for ever, and what is made of their sound.
struct SoundStations {
  /// What is asked of each station.
  enum Wish: String, CaseIterable {
    case nothing = "pulled only"
    case levels = "levels"
    case spectrum = "levels, spectrum"
    case rendition = "a rendition"
    case loudness = "a rendition at -16 LUFS"

    /// The query of the events that each station's watcher asks for; nil for no watcher.
    var watched: String? {
      switch self {
      case .nothing, .rendition, .loudness: nil
      case .levels: "kinds=levels&rate=20"
      case .spectrum: "kinds=levels,spectrum&rate=20"
      }
    }

    fileprivate var keys: String {
      switch self {
      case .nothing, .levels, .spectrum: ""
      case .rendition: ", renditions: [{id: made, bitrate: 64}]"
      case .loudness: ", renditions: [{id: made, bitrate: 64, loudness: -16}]"
      }
    }
  }

  static let sampleRate = 44_100
  static let seconds = 240
  let file: String
  private let folder: String

  /// Makes the music: chords that swell over noise, so that there is something to code.
  init(in folder: String) throws {
    self.folder = folder
    file = folder + "/music.mp3"
    guard let lame = Binary.find("lame") else {
      throw BenchError("lame is not installed: apt-get install lame")
    }
    let raw = folder + "/music.raw"
    guard FileManager.default.createFile(atPath: raw, contents: Self.music) else {
      throw BenchError("\(raw) cannot be written")
    }
    _ = try CPUTime.of([
      lame, "--quiet", "-r", "-s", "44.1", "--bitwidth", "16", "--signed", "--little-endian", "-b",
      "128", raw, file,
    ])
    try FileManager.default.removeItem(atPath: raw)
  }

  private static var music: Data {
    var data = Data(capacity: seconds * sampleRate * 4)
    var noise: UInt32 = 1
    let notes = [220.0, 277.2, 329.6, 440, 554.4, 659.3, 880, 1760]
    for index in 0..<(seconds * sampleRate) {
      let time = Double(index) / Double(sampleRate)
      for channel in 0..<2 {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        var value = (Double(noise >> 16) / 32_768 - 1) * 0.03
        for (number, note) in notes.enumerated() {
          let swell = 0.5 + 0.5 * sin(time * (0.3 + Double(number + channel) * 0.17))
          value += sin(2 * .pi * note * time) * swell * 0.1
        }
        let sample = Int16(max(-32_768, min(32_767, value * 32_768)))
        withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) }
      }
    }
    return data
  }

  func ids(_ count: Int) -> [String] { (0..<count).map { "music-\($0)" } }

  func yaml(_ count: Int, _ wish: Wish, port: UInt16, data: String) -> String {
    let head = "server: {listen: [\"127.0.0.1:\(port)\"], data: \"\(data)\"}\n"
    return head + "timeshift: {window: 0}\nstations:\n" + lines(count, wish).joined(separator: "\n")
      + "\n"
  }

  /// Returns the stations as lines of a configuration's list.
  func lines(_ count: Int, _ wish: Wish) -> [String] {
    ids(count).map { "  - {id: \($0), command: [cat, \"\(file)\"]\(wish.keys)}" }
  }
}
