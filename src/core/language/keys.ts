/** Written by `npm run messages`. */

/** The messages of `t`. */
export type MessageKey =
  | "A test from {host}"
  | "Activate your account at {host}"
  | "An account was made for you at {host}; your user name is {name}. Activate it here:"
  | "An account was made for you at {host}; your user name is {name}. If no one told you a password, or you want one of your own, set it here:"
  | "Confirm your address at {host}"
  | "For your account {name} at {host}, the right password or the link of a recovery mail was used with wrong codes of the authenticator app, again and again. For a while no code is accepted; access tokens and SSH keys go on. If that wasn’t you, someone knows your password or reads your mail: set a new password here, and another one for your mail:"
  | "Hello {name},"
  | "Hello,"
  | "If it was you, wait and try again; the page that refused your code says how long."
  | "If it wasn’t you, do nothing: nothing was changed, and who asked was not told that you have an account."
  | "If it wasn’t you, do nothing: the address won’t count."
  | "If it wasn’t you, do nothing: your password stays as it is."
  | "If you don’t know them, do nothing."
  | "If you expected no account there, do nothing: it stays inactive."
  | "If you want no account there, do nothing: none is made."
  | "Mails from this site arrive here: an administrator has sent this one to find out."
  | "No more mail about this"
  | "Nothing needs to be done."
  | "Set a new password at {host}"
  | "Someone asked for a new account at {host} with this address, which your account {name} has already. If that was you, sign in, or set a new password here:"
  | "Someone asked for a new password for your account {name} at {host}. If that was you, set it here:"
  | "The link is good once, for {time}."
  | "The page asks for the address that this mail was sent to."
  | "Welcome to {host}"
  | "With this address you can make an account at {host}. Choose its name and password here:"
  | "Wrong second-factor codes for your account at {host}"
  | "You have an account at {host}"
  | "Your new account at {host}"
  | "in a moment"
  | "just now"
  | "{by} invites you to a team of the organization {organization} at {host}. See what it is, and join or decline:"
  | "{by} invites you to make an account at {host}. Choose its name and password here:"
  | "{by} invites you to {host}"
  | "{by} invites you to {organization} at {host}"
  | "{name} added the address {address} to its account at {host}. If that was you, confirm it here:"
  | "{name} approved this"
  | "{name} asked you for a review"
  | "{name} assigned this to you"
  | "{name} closed this"
  | "{name} dismissed a review"
  | "{name} marked this as ready"
  | "{name} mentioned you"
  | "{name} merged this"
  | "{name} moved this here"
  | "{name} offers you this repository"
  | "{name} opened this"
  | "{name} published a release"
  | "{name} pushed new commits"
  | "{name} reopened this"
  | "{name} requested changes"
  | "{name} reviewed this"
  | "{name} wrote"
  | "{workflow} has failed"
  | "{workflow} has failed for {title}"

/** Those that modules for the browser say. */
export const BROWSER_MESSAGES: readonly string[] = [
  "Choose files first.",
  "Close",
  "Find",
  "Go",
  "Go to line",
  "It has more than {size} MiB.",
  "It is too much together with the others.",
  "It was not taken. Are you still signed in?",
  "Match case",
  "Next",
  "Nothing is chosen yet. Nothing is committed before you press Commit.",
  "Only {most} files fit into one commit. The others were left out.",
  "Previous",
  "Regular expression",
  "Remove",
  "Remove: {path}",
  "Replace",
  "Replace all",
  "Select all",
  "Send again",
  "Send again: {path}",
  "Some files could not be sent: send them again, or remove them.",
  "The connection broke off.",
  "Whole words",
  "replaces a file",
  "{ready} of {all} files are ready, {failed} failed, {size}.",
  "{ready} of {all} files are ready, {size}.",
]
