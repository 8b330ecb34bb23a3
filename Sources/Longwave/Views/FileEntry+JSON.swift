import Server

extension FileEntry {
  package var json: JSON {
    [
      "path": .string(path), "bytes": JSON(bytes), "seconds": JSON(seconds),
      "mediaType": .string(mediaType), "modified": JSON(modified),
    ]
  }
}
