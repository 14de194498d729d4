/** Who manages what in one program: conflicts are told whichever of the two comes first. */
import assert from 'node:assert/strict';
import { Claims } from '../../provider/pulumi/claims';

describe('claims of one program', () => {
  const because = 'exactly these';

  it('refuse a part of what somebody manages whole, and the whole of what somebody touches', () => {
    const claims = new Claims();
    claims.takeWhole('triggers into ws-1', 'a trigger into ws-1', 'set', because);
    assert.throws(() => claims.touch('a trigger into ws-1', 'triggers into ws-1', 'single', because), {
      message: "set and single would undo each other's work: exactly these. Keep one of them",
    });
    const turned = new Claims();
    turned.touch('a trigger into ws-1', 'triggers into ws-1', 'single', because);
    turned.touch('a trigger into ws-1', 'triggers into ws-1', 'another', because);
    assert.throws(
      () => turned.takeWhole('triggers into ws-1', 'a trigger into ws-1', 'set', because),
      /single and set/,
    );
  });

  it('refuse a second owner of one thing, also one of the same name below another parent', () => {
    const claims = new Claims();
    claims.take('the trigger of ws-1 to ws-2', 'RunTrigger "one"', because);
    assert.throws(
      () => claims.take('the trigger of ws-1 to ws-2', 'RunTrigger "one"', because),
      /RunTrigger "one" and RunTrigger "one" would undo each other's work/,
    );
    claims.take('the trigger of ws-2 to ws-1', 'RunTrigger "back"', because);
  });

  it('refuse sets that meet, in either order, and let those pass that do not', () => {
    for (const turned of [false, true]) {
      const meet = [
        (claims: Claims) => claims.meet('inbound', 'ws-1', ['ws-2'], 'into'),
        (claims: Claims) => claims.meet('outbound', 'ws-2', ['ws-3'], 'from'),
      ];
      const [first, second] = turned ? meet.reverse() : meet;
      const claims = new Claims();
      first?.(claims);
      // One says that ws-2 triggers ws-1, the other that it triggers ws-3 alone.
      assert.throws(() => second?.(claims), /both decide whether ws-2 triggers ws-1/);
    }
    const apart = new Claims();
    apart.meet('inbound', 'ws-1', ['ws-2'], 'into');
    apart.meet('outbound', 'ws-4', ['ws-3'], 'from');
    apart.meet('inbound', 'ws-5', ['ws-2'], 'other');
  });
});
