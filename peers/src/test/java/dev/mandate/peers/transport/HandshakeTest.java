package dev.mandate.peers.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mandate.peers.transport.HandshakeStep.Established;
import dev.mandate.peers.transport.HandshakeStep.Refused;
import dev.mandate.peers.transport.HandshakeStep.Send;
import dev.mandate.spi.Id;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HandshakeTest {
    private static final String MEMBERS = "a:7401,b:7401,c:7401";
    private static final GroupSecret SECRET = GroupSecret.parse("correct horse battery".replace(' ', '-'));
    private static final GroupSecret OTHER = GroupSecret.parse("another-secret-altogether");

    private final Random random = new Random(7);

    private static Introduction of(String self, String to, long start) {
        return new Introduction(MEMBERS, "maxLease=10s", self, new Id(start, 1), to);
    }

    private byte[] nonce() {
        byte[] nonce = new byte[Handshake.NONCE];
        random.nextBytes(nonce);
        return nonce;
    }

    private InitiatorHandshake initiator(Introduction own, GroupSecret secret) {
        return new InitiatorHandshake(
                own, secret.keys().get(0), nonce(), theirs -> new GroupCheck(own).dialled(own.to(), theirs));
    }

    private ResponderHandshake responder(Introduction own, GroupSecret secret) {
        return new ResponderHandshake(own, secret.keys(), nonce(), new GroupCheck(own)::dialledBy);
    }

    private static ByteBuffer content(byte[] frame) {
        return Handshake.unframed(frame);
    }

    private static byte[] sent(HandshakeStep step) {
        return ((Send) step).frame();
    }

    /** How it ends at the responder and at the initiator. */
    private static List<HandshakeStep> run(InitiatorHandshake initiator, ResponderHandshake responder)
            throws FrameException {
        byte[] frame = initiator.hello();
        HandshakeStep there = null;
        HandshakeStep here = null;
        while (frame != null) {
            there = responder.on(content(frame));
            frame = answer(there);
            if (frame != null) {
                here = initiator.on(content(frame));
                frame = answer(here);
            }
        }
        return List.of(there, here);
    }

    private static byte[] answer(HandshakeStep step) {
        return step instanceof Send send
                ? send.frame()
                : step instanceof Established end ? end.frame() : ((Refused) step).frame();
    }

    private void assertRefused(Introduction from, Introduction at, Refusal.Kind kind, String... words)
            throws FrameException {
        for (HandshakeStep end : run(initiator(from, SECRET), responder(at, SECRET))) {
            assertThat(end).isInstanceOfSatisfying(Refused.class, refused -> {
                assertThat(refused.refusal().kind()).isEqualTo(kind);
                assertThat(refused.refusal().sentence()).contains(words).doesNotContain("\n");
            });
        }
    }

    @Test
    void bothSidesKnowEachOtherAndShareKeys() throws FrameException {
        List<HandshakeStep> ends =
                run(initiator(of("a:7401", "b:7401", 1), SECRET), responder(of("b:7401", "", 2), SECRET));
        Established there = (Established) ends.get(0);
        Established here = (Established) ends.get(1);
        assertThat(there.theirs().peer()).isEqualTo(new Peer("a:7401", new Id(1, 1), true));
        assertThat(here.theirs().peer()).isEqualTo(new Peer("b:7401", new Id(2, 1), true));
        assertCrosses(here.outgoing(), there.incoming());
        assertCrosses(there.outgoing(), here.incoming());
    }

    private static void assertCrosses(FrameSeal from, FrameSeal to) throws FrameException {
        ByteBuffer frame = ByteBuffer.allocate(3 + FrameSeal.OVERHEAD);
        from.seal(FrameType.DATA, new byte[] {1, 2, 3}, frame);
        ByteBuffer payload = to.open(content(frame.array()));
        assertThat(payload).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }

    @Test
    void theTwoDirectionsAndEveryConnectionHaveKeysOfTheirOwn() throws FrameException {
        Established one =
                (Established) run(initiator(of("a:7401", "b:7401", 1), SECRET), responder(of("b:7401", "", 2), SECRET))
                        .get(0);
        Established two =
                (Established) run(initiator(of("a:7401", "b:7401", 1), SECRET), responder(of("b:7401", "", 2), SECRET))
                        .get(1);
        assertThatThrownBy(() -> assertCrosses(one.outgoing(), one.incoming())).isInstanceOf(FrameException.class);
        assertThatThrownBy(() -> assertCrosses(two.outgoing(), one.incoming())).isInstanceOf(FrameException.class);
    }

    @Test
    void aGuestHasNoSelfAndIsWelcome() throws FrameException {
        Introduction guest = new Introduction(MEMBERS, "", "", new Id(9, 9), "b:7401");
        HandshakeStep there = run(initiator(guest, SECRET), responder(of("b:7401", "", 2), SECRET))
                .get(0);
        assertThat(((Established) there).theirs().peer())
                .isEqualTo(new Peer("guest-00000000000000090000000000000009", new Id(9, 9), false));
    }

    @Test
    void whatTheInitiatorDoesNotWantIsNoConnectionForTheResponderEither() throws FrameException {
        Refusal refusal = new Refusal(Refusal.Kind.NOT_WANTED, "not today");
        InitiatorHandshake initiator = new InitiatorHandshake(
                of("a:7401", "b:7401", 1), SECRET.keys().get(0), nonce(), theirs -> Optional.of(refusal));
        List<HandshakeStep> ends = run(initiator, responder(of("b:7401", "", 2), SECRET));
        assertThat(((Refused) ends.get(1)).refusal()).isEqualTo(refusal);
        assertThat(((Refused) ends.get(0)).refusal())
                .isEqualTo(new Refusal(Refusal.Kind.NOT_WANTED, "a:7401 refuses this process: not today"));
    }

    @Test
    void aResponderBelievesNothingBeforeTheInitiatorIsReady() throws FrameException {
        InitiatorHandshake initiator = initiator(of("a:7401", "b:7401", 1), SECRET);
        ResponderHandshake responder = responder(of("b:7401", "", 2), SECRET);
        byte[] challenge = sent(responder.on(content(initiator.hello())));
        byte[] accept = sent(responder.on(content(sent(initiator.on(content(challenge))))));
        byte[] ready = ((Established) initiator.on(content(accept))).frame();
        byte[] forged = ready.clone();
        forged[forged.length - 1] ^= 1;
        assertThatThrownBy(() -> responder.on(content(forged))).isInstanceOf(FrameException.class);
        assertThat(responder.on(content(ready))).isInstanceOf(Established.class);
    }

    @Test
    void aWrongSecretIsRefusedAndTheAnswerSaysNothingElse() throws FrameException {
        List<HandshakeStep> ends =
                run(initiator(of("a:7401", "b:7401", 1), OTHER), responder(of("b:7401", "", 2), SECRET));
        Refused there = (Refused) ends.get(0);
        assertThat(there.theirs()).isNull();
        assertThat(there.refusal().kind()).isEqualTo(Refusal.Kind.SECRET);
        // The same three bytes for whoever it is, whatever it claims.
        assertThat(content(there.frame()))
                .isEqualTo(ByteBuffer.wrap(new byte[] {FrameType.DENY, Refusal.Kind.SECRET.code(), Handshake.VERSION}));
        assertThat(((Refused) ends.get(1)).refusal().sentence())
                .isEqualTo("b:7401 does not accept this process's secret; give both the same secretFile content");
    }

    @Test
    void whileASecretIsRolledBothAreAccepted() throws FrameException {
        GroupSecret both = GroupSecret.parse("another-secret-altogether correct-horse-battery");
        for (GroupSecret one : List.of(SECRET, OTHER)) {
            assertThat(run(initiator(of("a:7401", "b:7401", 1), one), responder(of("b:7401", "", 2), both))
                            .get(1))
                    .isInstanceOf(Established.class);
        }
    }

    @Test
    void aReplayedHandshakeMeetsAFreshNonce() throws FrameException {
        InitiatorHandshake initiator = initiator(of("a:7401", "b:7401", 1), SECRET);
        byte[] hello = initiator.hello();
        byte[] challenge = sent(responder(of("b:7401", "", 2), SECRET).on(content(hello)));
        byte[] proof = sent(initiator.on(content(challenge)));

        ResponderHandshake later = responder(of("b:7401", "", 2), SECRET);
        later.on(content(hello));
        assertThat(later.on(content(proof)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.refusal().kind()).isEqualTo(Refusal.Kind.SECRET));
    }

    @Test
    void aReplayedAnswerMeetsAFreshNonce() throws FrameException {
        ResponderHandshake responder = responder(of("b:7401", "", 2), SECRET);
        InitiatorHandshake first = initiator(of("a:7401", "b:7401", 1), SECRET);
        byte[] challenge = sent(responder.on(content(first.hello())));
        byte[] accept = sent(responder.on(content(sent(first.on(content(challenge))))));
        assertThat(first.on(content(accept))).isInstanceOf(Established.class);

        InitiatorHandshake second = initiator(of("a:7401", "b:7401", 1), SECRET);
        second.hello();
        second.on(content(challenge));
        assertThatThrownBy(() -> second.on(content(accept)))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("not signed");
    }

    @Test
    void aProofSentBackIsNoAnswer() throws FrameException {
        InitiatorHandshake initiator = initiator(of("a:7401", "b:7401", 1), SECRET);
        byte[] challenge = sent(responder(of("b:7401", "", 2), SECRET).on(content(initiator.hello())));
        byte[] proof = sent(initiator.on(content(challenge)));
        proof[FrameDecoder.HEADER] = FrameType.ACCEPT;
        assertThatThrownBy(() -> initiator.on(content(proof))).isInstanceOf(FrameException.class);
    }

    @Test
    void listsThatDifferAreShownOnBothSides() throws FrameException {
        Introduction other = new Introduction("a:7401,b:7401", "maxLease=10s", "a:7401", new Id(1, 1), "b:7401");
        assertRefused(
                other, of("b:7401", "", 2), Refusal.Kind.LIST_DIFFERS, "a:7401 has a:7401,b:7401", MEMBERS, "stop all");
    }

    @Test
    void theSameMembersInAnotherOrderAreAnotherList() throws FrameException {
        Introduction other = new Introduction("b:7401,a:7401,c:7401", "maxLease=10s", "a:7401", new Id(1, 1), "b:7401");
        assertRefused(other, of("b:7401", "", 2), Refusal.Kind.LIST_DIFFERS, "b:7401,a:7401,c:7401", MEMBERS);
    }

    @Test
    void twoProcessesOfOneMemberAreNoticed() throws FrameException {
        // Dialled b, whose name leads to another process of a.
        Introduction misled = of("a:7401", "a:7401", 1);
        assertRefused(misled, of("a:7401", "", 2), Refusal.Kind.SELF_TAKEN, "two processes have self=a:7401");
    }

    @Test
    void otherRefusalsNameWhatIsWrong() throws FrameException {
        assertRefused(
                of("a:7401", "b:7401", 1), of("c:7401", "", 2), Refusal.Kind.OTHER_MEMBER, "dialled b:7401", "c:7401");
        assertRefused(
                of("a:7401", "b:7401", 1),
                of("a:7401", "", 1),
                Refusal.Kind.ITSELF,
                "b:7401 resolves to a:7401 itself");
        assertRefused(of("d:7401", "b:7401", 1), of("b:7401", "", 2), Refusal.Kind.SELF_UNLISTED, "d:7401", MEMBERS);
        Introduction shorter = new Introduction(MEMBERS, "maxLease=3s", "a:7401", new Id(1, 1), "b:7401");
        assertRefused(
                shorter, of("b:7401", "", 2), Refusal.Kind.TERMS_DIFFER, "a:7401 has maxLease=3s", "maxLease=10s");
    }

    @Test
    void anotherVersionIsNamed() throws FrameException {
        byte[] hello = initiator(of("a:7401", "b:7401", 1), SECRET).hello();
        hello[FrameDecoder.HEADER + 1 + Handshake.MAGIC.length] = 9;
        Refused there = (Refused) responder(of("b:7401", "", 2), SECRET).on(content(hello));
        assertThat(there.refusal().sentence()).contains("version 9").contains("version 1");
        InitiatorHandshake initiator = initiator(of("a:7401", "b:7401", 1), SECRET);
        initiator.hello();
        Refused here = (Refused) initiator.on(content(there.frame()));
        assertThat(here.refusal().kind()).isEqualTo(Refusal.Kind.VERSION);
    }

    @Test
    void aProofOfWhichAnyByteIsChangedIsRefused() throws FrameException {
        InitiatorHandshake initiator = initiator(of("a:7401", "b:7401", 1), SECRET);
        byte[] nonce = nonce();
        byte[] hello = initiator.hello();
        Introduction own = of("b:7401", "", 2);
        ResponderHandshake first = new ResponderHandshake(own, SECRET.keys(), nonce, theirs -> Optional.empty());
        byte[] proof = sent(initiator.on(content(sent(first.on(content(hello))))));
        for (int at = FrameDecoder.HEADER; at < proof.length; at++) {
            byte[] changed = proof.clone();
            changed[at] ^= 0x40;
            ResponderHandshake same = new ResponderHandshake(own, SECRET.keys(), nonce, theirs -> Optional.empty());
            same.on(content(hello));
            assertThat(isRefused(same, changed)).as("byte " + at).isTrue();
        }
        assertThat(first.on(content(proof))).isInstanceOf(Send.class);
    }

    private static boolean isRefused(Handshake handshake, byte[] frame) {
        try {
            return handshake.on(content(frame)) instanceof Refused;
        } catch (FrameException e) {
            return true;
        }
    }

    @Test
    void noSequenceOfRandomFramesGetsIn() {
        Random noise = new Random(3);
        for (int round = 0; round < 20_000; round++) {
            ResponderHandshake responder = responder(of("b:7401", "", 2), SECRET);
            InitiatorHandshake initiator = initiator(of("a:7401", "b:7401", 1), SECRET);
            byte[] hello = initiator.hello();
            for (int i = 0; i < 3; i++) {
                byte[] frame = i == 0 && noise.nextBoolean() ? hello : random(noise);
                assertThat(isEstablished(responder, frame) || isEstablished(initiator, frame))
                        .isFalse();
            }
        }
    }

    private static boolean isEstablished(Handshake handshake, byte[] frame) {
        try {
            return handshake.on(content(frame)) instanceof Established;
        } catch (FrameException e) {
            return false;
        }
    }

    private static byte[] random(Random noise) {
        byte[] frame = new byte[FrameDecoder.HEADER + 1 + noise.nextInt(80)];
        noise.nextBytes(frame);
        frame[FrameDecoder.HEADER] = (byte) noise.nextInt(8);
        return frame;
    }

    @Test
    void aSignedIntroductionThatIsMalformedIsRefused() {
        for (int cut = 0; cut < 60; cut++) {
            ByteBuffer whole = ByteBuffer.allocate(Introduction.BYTES_MAX);
            of("a:7401", "b:7401", 1).write(whole);
            ByteBuffer part = whole.flip().slice(0, Math.min(cut, whole.limit() - 1));
            assertThatThrownBy(() -> Introduction.read(part)).isInstanceOf(FrameException.class);
        }
        ByteBuffer control = ByteBuffer.allocate(Introduction.BYTES_MAX);
        of("a\u001b[2J:7401", "b:7401", 1).write(control);
        assertThatThrownBy(() -> Introduction.read(control.flip()))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("printable");
    }

    @Test
    void theLongestHandshakeFitsIntoItsFrames() throws FrameException {
        String members = ("x".repeat(253) + ":65535,").repeat(31) + "b:7401";
        Introduction from = new Introduction(members, "t".repeat(256), "b:7401", new Id(1, 1), "b:7401");
        Introduction at = new Introduction(members.replace('x', 'y'), "t", "b:7401", new Id(2, 1), "");
        List<HandshakeStep> ends = run(initiator(from, SECRET), responder(at, SECRET));
        Refused there = (Refused) ends.get(0);
        assertThat(there.frame()).hasSizeLessThanOrEqualTo(FrameDecoder.HEADER + Handshake.FRAME_MAX);
        assertThat(there.refusal().sentence()).contains(members, members.replace('x', 'y'));
        assertThat(Arrays.asList(ends.get(1))).hasSize(1);
        assertThat(((Refused) ends.get(1)).refusal().kind()).isEqualTo(Refusal.Kind.LIST_DIFFERS);
    }
}
