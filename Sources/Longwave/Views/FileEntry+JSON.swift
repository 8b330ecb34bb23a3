import Server

extension FileEntry: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("path", \.path), Shape("bytes", \.bytes), Shape("seconds", \.seconds),
    Shape("mediaType", \.mediaType), Shape("modified", \.modified),
  ]
}
