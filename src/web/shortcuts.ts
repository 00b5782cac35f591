/**
 * Every key that pages know. Elements name theirs by this record (`shortcut` in components.ts), the script `keys` presses them, and the help (`?`) is made of it: it
 * lists a key on the pages that have what it needs.
 */

export interface ShortcutGroup {
  readonly title: string
  readonly keys: readonly Shortcut[]
}

export interface Shortcut {
  /** `g i` for one after the other. */
  readonly keys: string
  readonly text: string
  /** What a page has on which it works, as a selector; by default an element that names the key. */
  readonly where?: string
  /** Works as this key does. */
  readonly like?: string
}

const FIELD = ".composer textarea"
const DIFF = "section.diff"
const REVIEW = "#line-box"

export const SHORTCUTS = [
  {
    title: "Everywhere",
    keys: [
      { keys: "?", text: "Keyboard shortcuts", where: "body" },
      { keys: "/", text: "Search" },
      { keys: "Escape", text: "Close menus and dialogs", where: "body" },
      { keys: "g d", text: "Go to the dashboard" },
      { keys: "g n", text: "Go to notifications" },
    ],
  },
  {
    title: "Repository",
    keys: [
      { keys: "g c", text: "Go to the code" },
      { keys: "g i", text: "Go to the issues" },
      { keys: "g p", text: "Go to the pull requests" },
      { keys: "g a", text: "Go to the actions" },
      { keys: "g b", text: "Go to the projects" },
      { keys: "g r", text: "Go to the releases" },
      { keys: "g w", text: "Go to the wiki" },
      { keys: "g s", text: "Go to the settings" },
    ],
  },
  {
    title: "Code",
    keys: [
      { keys: "t", text: "Go to file" },
      { keys: "w", text: "Switch branches or tags" },
      { keys: "l", text: "Go to line" },
      { keys: "y", text: "Permalink" },
      { keys: "b", text: "Blame" },
      { keys: "e", text: "Edit file" },
      { keys: ".", text: "Edit file", like: "e" },
    ],
  },
  {
    title: "Lists",
    keys: [
      { keys: "j", text: "Next row", where: "main .rows > li" },
      { keys: "k", text: "Previous row", where: "main .rows > li" },
      { keys: "c", text: "New issue" },
    ],
  },
  {
    title: "Changes",
    keys: [
      { keys: "j", text: "Next file", where: DIFF },
      { keys: "k", text: "Previous file", where: DIFF },
      { keys: "↓", text: "Next line", where: DIFF },
      { keys: "↑", text: "Previous line", where: DIFF },
      { keys: "Shift ↓", text: "Select lines", where: DIFF },
      { keys: "n", text: "Next change", where: DIFF },
      { keys: "p", text: "Previous change", where: DIFF },
    ],
  },
  {
    title: "Reviews",
    keys: [
      { keys: "f", text: "Go to the files" },
      { keys: "c", text: "Comment on the line, or on the selected lines", where: REVIEW },
      { keys: "s", text: "Suggest a change of them", where: REVIEW },
      { keys: "v", text: "Mark the file as viewed", where: "form.viewed" },
      { keys: "r", text: "Review changes" },
      { keys: "Ctrl G", text: "Insert a suggestion into the comment", where: REVIEW },
      { keys: "Ctrl Shift Enter", text: "Add a single comment", where: REVIEW },
      { keys: "Alt A", text: "Approve, in the menu of the review", where: "#review" },
      { keys: "Alt R", text: "Request changes, in the menu of the review", where: "#review" },
      { keys: "Alt C", text: "Comment, in the menu of the review", where: "#review" },
    ],
  },
  {
    title: "Boards",
    keys: [{ keys: "Alt ←↑→↓", text: "Move the card", where: "[data-move]" }],
  },
  {
    title: "Writing",
    keys: [
      { keys: "Ctrl Enter", text: "Send", where: FIELD },
      { keys: "Ctrl B", text: "Bold", where: FIELD },
      { keys: "Ctrl I", text: "Italic", where: FIELD },
      { keys: "Ctrl E", text: "Code", where: FIELD },
      { keys: "Ctrl K", text: "Link", where: FIELD },
    ],
  },
] as const satisfies readonly ShortcutGroup[]

/** The keys that an element can name. */
export type Keys = (typeof SHORTCUTS)[number]["keys"][number]["keys"]
