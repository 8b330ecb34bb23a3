/// The filler of each kind of station.
struct FillerTable {
  let ingest: IngestFiller
  let renditions: RenditionFiller
  let programmes: ProgrammeFiller

  /// The filler of a station that has a log of its own.
  subscript(station: RelayStation?) -> (any Filler)? {
    switch station?.definition.kind.filler {
    case .ingest: ingest
    case .rendition: renditions
    case .programme: programmes
    case nil: nil
    }
  }
}
