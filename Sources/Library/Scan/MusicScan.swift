import Media
import Timeshift
import Wire

/// Looks through a folder for music, on the thread that calls it.
///
/// Files that have not changed since the last look are not opened. Of the others the head, the end, three pieces of the
/// audio and the tags are read.
public struct MusicScan {
  /// Number of files after which what was found is handed on, the first time that a folder is looked through.
  public static let firstFiles = 200
  /// Seconds for which a file is left alone after it was written to.
  static let settleSeconds = 5.0
  /// Endings of names of audio files, in lower case.
  private static let endings: Set<[UInt8]> = Set(
    ["mp3", "mp2", "mpga", "aac", "ogg", "oga", "opus", "flac", "m4a", "mp4", "wav"].map {
      Array($0.utf8)
    })

  private let root: String
  private let hidden: PrivateFolder?
  private let known: [[UInt8]: MusicFile]
  private let refused: [[UInt8]: MusicFolder.Refused]
  private let tags: TagReader?

  /// - Parameters:
  ///   - root: a folder, or one file.
  ///   - hidden: the folder of the relay's own files, which is left out.
  ///   - known: what the last look has found.
  ///   - tags: nil: names of files say what they are.
  public init(
    _ root: String, hidden: PrivateFolder? = nil, known: MusicFolder? = nil, tags: TagReader?
  ) {
    (self.root, self.hidden, self.tags) = (root, hidden, tags)
    self.known = Dictionary((known?.files ?? []).map { ($0.path, $0) }) { one, _ in one }
    refused = Dictionary((known?.refused ?? []).map { ($0.path, $0) }) { one, _ in one }
  }

  /// Blocks.
  ///
  /// - Parameter tell: gets what was found among the first files, where nothing was known.
  public func look(tell: (MusicFolder) -> Void = { _ in }) -> MusicFolder {
    var folder = MusicFolder()
    let found: (files: [MediaFolder.Found], isWhole: Bool)
    do throws(MediaFolder.Refusal) {
      found = try MediaFolder.files(in: root, hidden: hidden, isWanted: Self.isWanted)
    } catch {
      folder.problem = error.words
      return folder
    }
    let now = Moment.now().wall
    var asked: [Audio] = []
    for (index, file) in found.files.enumerated() {
      if index == Self.firstFiles, known.isEmpty {
        answer(&asked, to: 0, &folder)
        tell(folder)
      }
      if let same = known[file.path], same.identity == file.identity, same.isRead {
        folder.files.append(same)
        continue
      }
      if let same = refused[file.path], same.identity == file.identity {
        folder.refused.append(same)
        continue
      }
      let age = now.seconds(since: WallTime(nanoseconds: file.identity.modified))
      if (0..<Self.settleSeconds).contains(age) {
        folder.isSettled = false
        continue
      }
      switch audio(of: file) {
      case .failure(let reason) where reason.isLasting:
        folder.refused.append(.init(path: file.path, identity: file.identity, reason: reason.text))
      case .failure: if let same = known[file.path] { folder.files.append(same) }
      case .success(let audio):
        answer(&asked, to: TagReader.inFlightMax - 1, &folder)
        tags?.ask(audio.file, number: UInt64(index))
        asked.append(audio)
      }
    }
    answer(&asked, to: 0, &folder)
    if !found.isWhole {
      // What lies in a folder that could not be read may be there again.
      let paths = Set(found.files.map(\.path))
      folder.files += known.values.filter { !paths.contains($0.path) }
    }
    folder.files.sort { $0.path.lexicographicallyPrecedes($1.path) }
    folder.isWhole = true
    return folder
  }

  private static func isWanted(_ name: [UInt8], isFolder: Bool) -> Bool {
    if name.first == UInt8(ascii: ".") { return false }
    if isFolder { return true }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
    return endings.contains(name[(dot + 1)...].map { (65...90).contains($0) ? $0 | 0x20 : $0 })
  }

  /// A file whose tags are being read.
  private struct Audio {
    var found: MediaFolder.Found
    var file: MediaFile
    var summary: MediaSummary
    var format: AudioFormat
    var key: TrackKey
  }

  /// Why a file cannot be played.
  private struct Reason: Error {
    var text: String
    /// Whether it is the file's own; a machine or a disk may do better another time.
    var isLasting: Bool

    init(_ text: String, isLasting: Bool = true) {
      (self.text, self.isLasting) = (text, isLasting)
    }
  }

  private func audio(of found: MediaFolder.Found) -> Result<Audio, Reason> {
    do {
      let file = try MediaFolder.open(bytes: found.path, in: root)
      guard let layout = try file.layout(), let summary = try file.summary(layout) else {
        return .failure(Reason("has no audio of a known format"))
      }
      guard layout.container == .frames || layout.container == .ogg, let codec = summary.codec
      else {
        return .failure(Reason("is no MP3, AAC or Ogg file, which alone can be played"))
      }
      let format = AudioFormat(
        codec: codec, sampleRate: summary.sampleRate, channels: summary.channels)
      return .success(
        Audio(
          found: found, file: file, summary: summary, format: format, key: try file.key(layout)))
    } catch let refusal as MediaFolder.Refusal {
      return .failure(
        Reason("cannot be opened: \(refusal.words)", isLasting: refusal == .notFound))
    } catch {
      return .failure(Reason("cannot be read: \(error)", isLasting: false))
    }
  }

  /// Takes answers until so many files are left whose tags are being read.
  private func answer(_ asked: inout [Audio], to left: Int, _ folder: inout MusicFolder) {
    while asked.count > left {
      let audio = asked.removeFirst()
      let path = audio.found.path.isEmpty ? Array(root.utf8) : audio.found.path
      let last = path.split(separator: UInt8(ascii: "/")).last ?? []
      let name = String(decoding: last, as: UTF8.self)
      let reading = tags?.next()?.reading
      var fields = TagFields()
      if case .fields(let read)? = reading { fields = read }
      fields = fields.guessing(from: name)
      var file = MusicFile(
        root: root, path: audio.found.path, identity: audio.found.identity, key: audio.key,
        format: audio.format, seconds: audio.summary.duration.seconds,
        isExact: audio.summary.isExact, title: fields.first(.title) ?? name,
        artist: fields.first(.artist) ?? "", album: fields.first(.album) ?? "", year: fields.year,
        details: MusicDetails(fields, bitrate: audio.summary.bitrate))
      if let last = folder.files.last { file.share(last) }
      if case .unavailable? = reading { file.isRead = false }
      folder.files.append(file)
    }
  }
}
