/// The charset of an upstream's titles and headers if they are not valid UTF-8.
///
/// But for `twice`, valid UTF-8 is always read as UTF-8: hardly any text in another charset happens to be valid.
public enum TextEncoding: Hashable, Sendable {
  /// Latin-1 with Windows' additions.
  case auto
  case named(CharsetName)
  /// UTF-8 that was read as Latin-1 and encoded a second time; what was not is read as with `auto`.
  case twice
  /// The one of these charsets in which the last titles look most like text.
  case detect([CharsetName])
}
