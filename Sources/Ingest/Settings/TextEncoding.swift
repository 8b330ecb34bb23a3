/// How an upstream's titles and headers are read where they are not valid UTF-8. Where they are, they are UTF-8: hardly
/// any text in another charset happens to be.
public enum TextEncoding: Hashable, Sendable {
  /// Latin-1 with Windows' additions.
  case auto
  case named(CharsetName)
  /// Whichever of these makes the last titles look most like text.
  case detect([CharsetName])
}
