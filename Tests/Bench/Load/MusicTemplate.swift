import Glibc
import TestSupport
import Wire

/// An encoder's file of which any number of others are made: each has a title, an artist, an album and an end of its
/// own, so that no two are the same track.
struct MusicTemplate {
  let ending: String
  private let bytes: [UInt8]
  /// Places of the digits in the tags.
  private let digits: [Int]
  /// Pages with digits and the last one, whose checksums change; empty for all formats but Ogg.
  private let pages: [OggPage]

  private static let titleDigits = 7
  private static let words = ["Title ", "Artist ", "Album "]

  /// Returns the filter of ffmpeg that makes music: tones that swell over noise, another in each channel.
  static func music(seconds: Double, number: Int) -> String {
    let tone = 220 + 55 * (number % 13)
    func noise(_ seed: Int) -> String {
      "anoisesrc=c=pink:a=0.25:r=44100:d=\(seconds):seed=\(seed)"
    }
    return "\(noise(2 * number + 1))[l];\(noise(2 * number + 2))[r];"
      + "[l][r]join=inputs=2:channel_layout=stereo[n];"
      + "sine=f=\(tone):r=44100:d=\(seconds),tremolo=f=0.3,aformat=channel_layouts=stereo[t];"
      + "[n][t]amix=inputs=2"
  }

  /// The formats that people have, MP3 most often.
  static func mixed(in folder: String) throws -> [MusicTemplate] {
    let lame = ["-c:a", "libmp3lame"]
    let encoders: [(ending: String, options: [String])] = [
      ("mp3", lame + ["-b:a", "128k", "-id3v2_version", "3"]),
      ("flac", ["-c:a", "flac"]),
      ("mp3", lame + ["-q:a", "2", "-id3v2_version", "4"]),
      ("m4a", ["-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart"]),
      ("mp3", lame + ["-b:a", "192k", "-id3v2_version", "4"]),
      ("opus", ["-c:a", "libopus", "-b:a", "96k"]),
      ("aac", ["-c:a", "aac", "-b:a", "128k", "-f", "adts", "-write_id3v2", "1"]),
      ("ogg", ["-c:a", "libvorbis", "-q:a", "4"]),
    ]
    return try [7.0, 9].flatMap { seconds in
      try encoders.enumerated().map { index, encoder in
        try MusicTemplate(
          encoder.ending, encoder.options, seconds: encoder.ending == "flac" ? 3 : seconds,
          number: index + Int(seconds), in: folder)
      }
    }
  }

  static func mp3(seconds: Double, bitrate: Int, in folder: String) throws -> MusicTemplate {
    let rate = bitrate > 48 ? "44100" : "22050"
    return try MusicTemplate(
      "mp3", ["-c:a", "libmp3lame", "-b:a", "\(bitrate)k", "-ac", "1", "-ar", rate],
      seconds: seconds, number: 1, in: folder)
  }

  private init(
    _ ending: String, _ options: [String], seconds: Double, number: Int, in folder: String
  ) throws {
    guard let ffmpeg = Binary.find("ffmpeg") else {
      throw BenchError("ffmpeg is not installed: apt-get install ffmpeg")
    }
    let path = "\(folder)/template.\(ending)"
    let zeros = String(repeating: "0", count: Self.titleDigits)
    let tags = zip(["title", "artist", "album"], Self.words).flatMap {
      ["-metadata", "\($0)=\($1)\(zeros)"]
    }
    try Tool.must(
      [
        ffmpeg, "-v", "error", "-y", "-filter_complex",
        Self.music(seconds: seconds, number: number),
      ]
        + options + tags + [path], in: TemporaryDirectory())
    let bytes = try readFile(path)
    unlink(path)
    let digits = try Self.words.map { word in
      guard let place = bytes.firstRange(of: Array((word + zeros).utf8)) else {
        throw BenchError("ffmpeg wrote no tags that can be changed into a .\(ending)")
      }
      return place.lowerBound + word.utf8.count
    }
    (self.ending, self.bytes, self.digits) = (ending, bytes, digits)
    pages = Self.pages(of: bytes).filter { page in
      page.range.upperBound == bytes.count || digits.contains(where: page.range.contains)
    }
  }

  /// Returns the bytes of file `number`. Its artist is that of a hundred files, and its album that of ten.
  func variant(_ number: Int) -> [UInt8] {
    var bytes = bytes
    for (place, value) in zip(digits, [number, number / 100, number / 10]) {
      let text = String(value)
      let start = place + Self.titleDigits - text.utf8.count
      bytes.replaceSubrange(start..<place + Self.titleDigits, with: text.utf8)
    }
    // The last bytes of each format here are coded sound.
    withUnsafeBytes(of: UInt32(number).littleEndian) {
      bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: $0)
    }
    for page in pages { Self.seal(page, in: &bytes) }
    return bytes
  }

  private static func pages(of bytes: [UInt8]) -> [OggPage] {
    var pages: [OggPage] = []
    var place = 0
    while case .page(let page) = OggPage.read(in: bytes.span, at: place) {
      pages.append(page)
      place = page.range.upperBound
    }
    return pages
  }

  /// Makes a page's checksum right again.
  private static func seal(_ page: OggPage, in bytes: inout [UInt8]) {
    var own = Array(bytes[page.range])
    var span = own.mutableSpan
    OggPage.stamp(&span, serial: page.serial, sequence: page.sequence, granule: page.granule)
    bytes.replaceSubrange(page.range, with: own)
  }
}
