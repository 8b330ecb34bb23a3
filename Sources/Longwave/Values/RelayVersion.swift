/// The program's name and version.
public enum RelayVersion {
  public static let number = "1.0.0"
  public static let name = "Longwave/\(number)"
}
