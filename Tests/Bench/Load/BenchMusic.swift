import Foundation
import TestSupport

/// Music in a folder, made of noise and tones by ffmpeg and lame where it is not there yet.
struct BenchMusic {
  /// kbit/s of the tracks that programmes play.
  static let bitrate = 128
  /// Seconds of a track that programmes play: as long as most songs are.
  static let trackSeconds = 240

  let folder: String

  init(in folder: String) throws {
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Returns a folder of tracks of four minutes.
  func tracks() throws -> String {
    let folder = try made("tracks") { folder in
      for number in 1...3 {
        try track(seconds: Self.trackSeconds, number: number, to: "\(folder)/\(number).mp3")
      }
    }
    return folder
  }

  /// Returns folders for so many programmes that play in sequence. The first track of each is another length, so that
  /// as many of them come to a border in each second as do where all tracks are four minutes and began at any time.
  ///
  /// - Parameter seconds: how long the programmes are listened to; lengths beyond it are four minutes.
  func staggered(_ count: Int, seconds: Double) throws -> [String] {
    let tracks = try tracks()
    let folder = try made("staggered-\(count)-\(Int(seconds))") { folder in
      for index in 0..<count {
        let own = "\(folder)/\(index)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
        let length = Self.trackSeconds * (index + 1) / count
        if Double(length) <= seconds {
          try track(seconds: max(2, length), number: 4 + index, to: own + "/0.mp3")
        }
        for number in 1...3 { try link("\(tracks)/\(number).mp3", own + "/\(number).mp3") }
      }
    }
    return (0..<count).map { "\(folder)/\($0)" }
  }

  /// Returns a folder of so many files of all usual formats, ten in each album.
  func mixed(_ count: Int) throws -> String {
    try made("mixed-\(count)") { folder in
      let templates = try MusicTemplate.mixed(in: folder)
      try write(count, of: templates, to: folder)
    }
  }

  /// Returns a folder of so many MP3 files of that length, ten in each album.
  ///
  /// - Parameter bitrate: kbit/s; with 48 or less the sample rate is 22,050 Hz.
  func short(_ count: Int, seconds: Double, bitrate: Int) throws -> String {
    try made("short-\(count)-\(seconds)-\(bitrate)") { folder in
      let template = try MusicTemplate.mp3(seconds: seconds, bitrate: bitrate, in: folder)
      try write(count, of: [template], to: folder)
    }
  }

  /// Makes a folder, unless it is there already. A run that was broken off leaves none.
  private func made(_ name: String, _ make: (String) throws -> Void) throws -> String {
    let path = "\(folder)/\(name)"
    if FileManager.default.fileExists(atPath: path) { return path }
    LibraryBench.say("music: \(name)")
    let unfinished = path + ".unfinished"
    try? FileManager.default.removeItem(atPath: unfinished)
    try FileManager.default.createDirectory(atPath: unfinished, withIntermediateDirectories: false)
    try make(unfinished)
    try FileManager.default.moveItem(atPath: unfinished, toPath: path)
    return path
  }

  private func write(_ count: Int, of templates: [MusicTemplate], to folder: String) throws {
    for number in 0..<count {
      let album = "\(folder)/artist \(number / 100)/album \(number / 10)"
      if number % 10 == 0 {
        try FileManager.default.createDirectory(atPath: album, withIntermediateDirectories: true)
      }
      let template = templates[number % templates.count]
      try Self.write(
        template.variant(number), to: "\(album)/track \(number).\(template.ending)")
    }
  }

  private func track(seconds: Int, number: Int, to path: String) throws {
    guard let ffmpeg = Binary.find("ffmpeg"), let lame = Binary.find("lame") else {
      throw BenchError("ffmpeg or lame is not installed: apt-get install ffmpeg lame")
    }
    let music = MusicTemplate.music(seconds: Double(seconds), number: number)
    // The quickest quality: what is measured looks at no sample of it, but for joins.
    let pipe =
      "'\(ffmpeg)' -v error -filter_complex '\(music)' -f wav - | '\(lame)' --quiet -q 7 -b "
      + "\(Self.bitrate) --tt 'Track \(number)' --ta 'Artist \(number)' - '\(path)'"
    try Tool.must(["sh", "-c", pipe], in: TemporaryDirectory())
    try Self.write(try readFile(path), to: path)
  }

  private func link(_ from: String, _ to: String) throws {
    try FileManager.default.linkItem(atPath: from, toPath: to)
  }

  /// Writes a file as if it were a day old: servers leave alone what is still being written.
  private static func write(_ bytes: [UInt8], to path: String) throws {
    let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard fd >= 0 else { throw BenchError("\(path) cannot be written: errno \(errno)") }
    defer { close(fd) }
    guard bytes.withUnsafeBytes({ Glibc.write(fd, $0.baseAddress, $0.count) }) == bytes.count
    else { throw BenchError("\(path) cannot be written: errno \(errno)") }
    let old = timespec(tv_sec: time(nil) - 86_400, tv_nsec: 0)
    _ = withUnsafePointer(to: (old, old)) { times in
      times.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(fd, $0) }
    }
  }
}
