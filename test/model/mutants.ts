export function adrift(): string[] {
  return [];
}
