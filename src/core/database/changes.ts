/** The values that may be given for a row; undefined for those that stay as they are. */
type Given<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined }

/** Those of the given values that differ from the row's, by column. An edit without a difference changes nothing, not even the update time. */
export const differencesFrom = <Row extends object>(row: Row, given: Given<Row>): Partial<Row> => {
  const changes: Partial<Row> = {}
  for (const column in given) {
    const value = given[column]
    if (value !== undefined && value !== row[column]) changes[column] = value
  }
  return changes
}
