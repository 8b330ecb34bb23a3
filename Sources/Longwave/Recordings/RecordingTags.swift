import Timeshift
import Wire

// Tags of recorded files. A file with many titles is tagged with the name of the show, or of the station.
extension RecordingEntry {
  /// - Parameter title: the title at the beginning of the file.
  func tag(_ title: Title?, of station: String, at air: WallTime) -> ID3Tag {
    let (title, show) = (options.splits ? title : nil, schedule?.show)
    return ID3Tag(
      title: title.map { $0.parts?.title ?? $0.text } ?? show ?? station,
      artist: title.map { $0.parts?.artist } ?? (show == nil ? nil : station),
      album: show ?? station, recordedAt: air.stored)
  }

  func comments(_ title: Title?, of station: String, at air: WallTime) -> VorbisComments {
    let show = schedule?.show
    let title = options.splits ? title : nil
    var comments = VorbisComments(title ?? Title(text: show ?? station))
    comments.fields.append(.init(key: "ALBUM", value: show ?? station))
    comments.fields.append(.init(key: "DATE", value: air.rfc3339))
    return comments
  }
}
