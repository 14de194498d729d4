/** A certificate that signs itself, made anew for each test: no key lies in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** Certificate and private key as PEM texts, for a TLS server that stands for this host name. */
export function selfSigned(host: string): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const commonName = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(host)));
  const name = sequence(der(0x31, commonName));
  const alternative = der(0x82, Buffer.from(host));
  const signed = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    // subjectAltName: dNSName
    der(0xa3, sequence(sequence(der(0x06, Buffer.from('551d11', 'hex')), der(0x04, sequence(alternative))))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey));
  const cert = sequence(signed, ecdsaWithSha256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}/gu, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

/** One element of the Distinguished Encoding Rules: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const bytes = content.length < 128 ? [] : content.length < 256 ? [0x81] : [0x82, content.length >> 8];
  return Buffer.concat([Buffer.from([tag, ...bytes, content.length & 0xff]), content]);
}
