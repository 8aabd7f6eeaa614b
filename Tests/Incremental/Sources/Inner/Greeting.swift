internal import CName

/// Returns a greeting. The script gives it a parameter with a default value, so that its callers need not change.
package func greeting() -> String { "hello" }

/// The text that the script changes without changing any source file.
package let embeddedName = String(cString: cname_text())
