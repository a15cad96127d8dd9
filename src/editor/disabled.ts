/** The reasons for which a control is disabled, as data of its element. */
const REASONS = 'stash-disabled';

/** Disables a control, or an option of a list, while at least one reason holds. */
export function disableWhile(control: JQuery, reason: string, holds: boolean): void {
  const reasons = (control.data(REASONS) as Set<string> | undefined) ?? new Set<string>();
  if (holds) reasons.add(reason);
  else reasons.delete(reason);
  control.data(REASONS, reasons).prop('disabled', reasons.size > 0);
}
