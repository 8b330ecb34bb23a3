import Timeshift
import Wire

// Tags of recorded files. A file with many titles is tagged with the station's name.
extension RecordingEntry.Options {
  /// - Parameter title: the title at the beginning of the file.
  func tag(_ title: Title?, of station: String, at air: WallTime) -> ID3Tag {
    let title = splits ? title : nil
    return ID3Tag(
      title: title.map { $0.parts?.title ?? $0.text } ?? station, artist: title?.parts?.artist,
      album: station, recordedAt: air.stored)
  }

  func comments(_ title: Title?, of station: String, at air: WallTime) -> VorbisComments {
    let title = splits ? title : nil
    var comments = VorbisComments(title ?? Title(text: station))
    comments.fields.append(.init(key: "ALBUM", value: station))
    comments.fields.append(.init(key: "DATE", value: air.rfc3339))
    return comments
  }
}
