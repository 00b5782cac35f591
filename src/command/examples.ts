/** The end of a command's help: lines as they can be typed. */
export const examples = (...lines: readonly string[]): string => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`
